# Intervals of shares. A library: `awk -f scripts/binomial.awk -f PROGRAM`.

# The probability of at most k of n, each with probability p.
function binomial_at_most(k, n, p,    i, log_term, sum) {
    if (k >= n || p <= 0)
        return 1
    if (p >= 1)
        return 0
    log_term = n * log(1 - p)
    sum = 0
    for (i = 0; i <= k; i++) {
        if (i > 0)
            log_term += log((n - i + 1) / i) + log(p / (1 - p))
        sum += exp(log_term)
    }
    return sum
}

# The probability p for which at most k of n have probability `tail`.
function binomial_solve(k, n, tail,    low, high, p, i) {
    low = 0
    high = 1
    for (i = 0; i < 50; i++) {
        p = (low + high) / 2
        if (binomial_at_most(k, n, p) > tail)
            low = p
        else
            high = p
    }
    return (low + high) / 2
}

# The ends of the 95 % interval of Clopper and Pearson for a share of k in n: exact, so that it
# misses the true share in at most 5 % of cases.
function share_low(k, n) {
    return k <= 0 ? 0 : binomial_solve(k - 1, n, 0.975)
}

function share_high(k, n) {
    return k >= n ? 1 : binomial_solve(k, n, 0.025)
}

# The largest share that k of n leaves possible with 95 % confidence (one-sided).
function share_at_most(k, n) {
    return k >= n ? 1 : binomial_solve(k, n, 0.05)
}
