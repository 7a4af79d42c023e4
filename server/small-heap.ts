import { setFlagsFromString } from 'node:v8'

/**
 * Collect what is old once it is that much more, in percent, than what was left of it the last time. On a machine with
 * much memory V8 waits until it is several times as much: what the server needs are some 60 MB, and under load it took
 * 200, nearly all of it waste, in each of its threads. A collection takes milliseconds, mostly beside the work;
 * docs/bench.md has what it costs and saves.
 */
setFlagsFromString('--heap-growing-percent=40')
