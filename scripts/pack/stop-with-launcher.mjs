import { Socket } from 'node:net'

/**
 * Loaded in front of a program that launch.cjs has started and cannot become. The pipe at 3 ends with the launcher,
 * however that ends: a program that is left alone would hold port and database against the one that replaces it.
 */
const launcher = Number(new URL(import.meta.url).searchParams.get('launcher'))

// Processes that the program starts get the same flags, and have something else at 3.
if (process.ppid === launcher)
  new Socket({ fd: 3 })
    .on('error', () => {})
    .on('close', () => process.kill(process.pid, 'SIGTERM'))
    .resume()
    .unref()
