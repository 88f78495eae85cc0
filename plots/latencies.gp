# Latency over percentile, or over the rate of calls: as curves.gp draws it, with marks such as p99.
whiskers = "percentiles are proven with a confidence of 0.99"
call ARG5."/curves.gp" ARG1 ARG2 ARG3 ARG4 ARG5 ARG6
