/* The referee of `treebench latency`: MLPerf's LoadGen and treebench's loop time the same calls in
 * turns. scripts/loadgen.sh builds it. Usage: referee NS SECONDS ROUNDS FOLDER
 *
 * A call spins for NS. The programs take turns after each call, so that both meet the same
 * disturbances. Prints, for each round, one line per program: its name and its p50, p90 and p99 in
 * ns, as both take them from the sample. LoadGen writes its logs to FOLDER.
 *
 * LoadGen reads the clock, and then logs how long it waited, before it issues a query. It counts
 * this entry as part of the query's latency, so treebench's calls log an entry too. Otherwise
 * LoadGen's latencies of 10 us would be longer: by 0.6 % at p50, and by several percent at p99,
 * because the log's memory is cold. */
#include "loadgen.h"
#include "logging.h"
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

/* --- treebench -------------------------------------------------------------------------------- */

void prepare(void *, uint64_t) {
}

void log_entry() {
    auto tracer = mlperf::logging::MakeScopedTracer(
        [](mlperf::logging::AsyncTrace &trace) { trace("call"); });
}

void call(void *context) {
    log_entry();
    loop_clock_wait(nullptr, timer_wall_ns() + *static_cast<uint64_t *>(context));
}

void check(void *) {
}

/* Makes calls of NS, one at a time, and prints their percentiles. */
class Stream {
  public:
    explicit Stream(uint64_t for_ns) : ns(for_ns), histogram(histogram_create()) {
    }
    ~Stream() {
        free(histogram);
    }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    void step() {
        uint64_t latency;
        loop_stream(&service, 0, 1, &latency);
        histogram_record(histogram, latency);
    }
    void print() {
        std::printf("treebench");
        for (double over : OVER)
            std::printf(" %llu", (unsigned long long)histogram_percentile(histogram, over));
        std::printf("\n");
    }

  private:
    uint64_t ns;
    struct service service = {&ns,  loop_clock_now, loop_clock_wait, prepare,
                              call, check,          UINT64_MAX,      nullptr};
    struct histogram *histogram;
};

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

/* Spins for NS. LoadGen's record of a query is cold, so it is read while the call spins: a call
 * takes NS with it. */
class Spinner : public mlperf::SystemUnderTest {
  public:
    Spinner(uint64_t for_ns, Stream &other) : ns(for_ns), stream(other) {
    }
    const std::string &Name() override {
        return name;
    }
    void IssueQuery(const std::vector<mlperf::QuerySample> &samples) override {
        uint64_t begin = timer_wall_ns();
        mlperf::ResponseId id = samples[0].id;
        loop_clock_wait(nullptr, begin + ns);
        mlperf::QuerySampleResponse response(id, 0, 0);
        mlperf::QuerySamplesComplete(&response, 1); // LoadGen's latency ends here
        stream.step();
    }
    void FlushQueries() override {
    }

  private:
    std::string name = "spinner";
    uint64_t ns;
    Stream &stream;
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

void run_round(uint64_t ns, double seconds, const std::string &folder) {
    Stream stream(ns);
    Spinner spinner(ns, stream);
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
    stream.print();
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    uint64_t ns = std::strtoull(argv[1], nullptr, 10);
    double seconds = std::atof(argv[2]);
    for (int round = std::atoi(argv[3]); round > 0; round--)
        run_round(ns, seconds, argv[4]);
    return 0;
}
