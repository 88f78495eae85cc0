/* The referee of `treebench latency`: MLPerf's LoadGen and treebench's loop time the same calls in
 * turns. scripts/loadgen.sh builds it. Usage: referee NS SECONDS ROUNDS FOLDER
 *
 * A call spins for NS. Prints, for each round, one line per program: its name and its p50, p90 and
 * p99 in ns, as both take them from the sample. LoadGen writes its logs to FOLDER. */
#include "loadgen.h"
#include "query_sample_library.h"
#include "system_under_test.h"
#include "test_settings.h"

extern "C" {
#include "harness/instruments/timer.h"
#include "harness/latency/histogram.h"
#include "harness/latency/loop.h"
}

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

const double OVER[] = {0.5, 0.1, 0.01};
const char *const LINES[] = {"50.00 percentile latency", "90.00 percentile latency",
                             "99.00 percentile latency"};

void spin(uint64_t ns) {
    uint64_t begin = timer_wall_ns();
    while (timer_wall_ns() - begin < ns)
        continue;
}

/* --- LoadGen ---------------------------------------------------------------------------------- */

class Samples : public mlperf::QuerySampleLibrary {
  public:
    const std::string &Name() override {
        return name;
    }
    size_t TotalSampleCount() override {
        return 1024;
    }
    size_t PerformanceSampleCount() override {
        return 1024;
    }
    void LoadSamplesToRam(const std::vector<mlperf::QuerySampleIndex> &) override {
    }
    void UnloadSamplesFromRam(const std::vector<mlperf::QuerySampleIndex> &) override {
    }

  private:
    std::string name = "none";
};

class Spinner : public mlperf::SystemUnderTest {
  public:
    explicit Spinner(uint64_t for_ns) : ns(for_ns) {
    }
    const std::string &Name() override {
        return name;
    }
    void IssueQuery(const std::vector<mlperf::QuerySample> &samples) override {
        spin(ns);
        mlperf::QuerySampleResponse response(samples[0].id, 0, 0);
        mlperf::QuerySamplesComplete(&response, 1);
    }
    void FlushQueries() override {
    }

  private:
    std::string name = "spinner";
    uint64_t ns;
};

/* Prints the percentiles of the summary that LoadGen has written. */
void print_summary(const std::string &folder) {
    std::ifstream summary(folder + "/mlperf_log_summary.txt");
    std::vector<std::string> found(3, "missing");
    for (std::string line; std::getline(summary, line);)
        for (size_t i = 0; i < 3; i++)
            if (line.compare(0, std::strlen(LINES[i]), LINES[i]) == 0)
                found[i] = line.substr(line.rfind(' ') + 1);
    std::printf("loadgen %s %s %s\n", found[0].c_str(), found[1].c_str(), found[2].c_str());
}

void run_loadgen(uint64_t ns, double seconds, const std::string &folder) {
    Spinner spinner(ns);
    Samples samples;
    mlperf::TestSettings settings;
    mlperf::LogSettings logs;
    settings.scenario = mlperf::TestScenario::SingleStream;
    settings.mode = mlperf::TestMode::PerformanceOnly;
    settings.single_stream_expected_latency_ns = (double)ns;
    settings.min_duration_ms = (uint64_t)(seconds * 1e3);
    settings.min_query_count = 662;
    logs.log_output.outdir = folder;
    mlperf::StartTest(&spinner, &samples, settings, logs);
    print_summary(folder);
}

/* --- treebench -------------------------------------------------------------------------------- */

void prepare(void *, uint64_t) {
}

void call(void *context) {
    spin(*static_cast<uint64_t *>(context));
}

void check(void *) {
}

void run_treebench(uint64_t ns, double seconds) {
    std::vector<uint64_t> latencies((size_t)(seconds * 1e9 / (double)ns));
    struct service service = {&ns,  loop_clock_now, loop_clock_wait, prepare,
                              call, check,          UINT64_MAX,      nullptr};
    struct histogram *histogram = histogram_create();
    loop_stream(&service, 0, latencies.size(), latencies.data());
    for (uint64_t latency : latencies)
        histogram_record(histogram, latency);
    std::printf("treebench");
    for (double over : OVER)
        std::printf(" %llu", (unsigned long long)histogram_percentile(histogram, over));
    std::printf("\n");
    free(histogram);
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    uint64_t ns = std::strtoull(argv[1], nullptr, 10);
    double seconds = std::atof(argv[2]);
    for (int round = std::atoi(argv[3]); round > 0; round--) {
        run_loadgen(ns, seconds, argv[4]);
        run_treebench(ns, seconds);
    }
    return 0;
}
