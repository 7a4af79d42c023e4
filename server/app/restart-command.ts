import { existsSync, readFileSync } from 'node:fs'

/** In the package this is `signalbox serve`: server/bundle.ts. */
const start = 'npm start -- --with-runner'

/** What a process can know of how it was started. */
export interface Start {
  env: Record<string, string | undefined>
  /** The file that Node runs. */
  program: string
  isPackage: boolean
  cgroup: string
  isContainer: boolean
}

/**
 * What a person types to start this server again with a runner beside it; null: that is no way for it. A service and a
 * container are started elsewhere and confine the server, so that a runner beneath it could make no box; the demo has no
 * option for it.
 */
export function restartCommand({ env, program, isPackage, cgroup, isContainer }: Start = thisStart()) {
  const isService = env.INVOCATION_ID !== undefined && /:\/system\.slice\/[^/\n]+\.service$/m.test(cgroup)
  if (isService || /[/\\]demo[/\\]main\.ts$/.test(program)) return null
  // In a checkout, and with npx, a person is at a terminal; that it is one in a container makes no difference.
  if (!isPackage) return start
  if (env.npm_command === 'exec') return `npx --no -- ${start}`
  return isContainer ? null : start
}

function thisStart(): Start {
  const { env, argv } = process
  return {
    ...{ env, program: argv[1] ?? '', isPackage: !start.startsWith('npm') },
    cgroup: existsSync('/proc/self/cgroup') ? readFileSync('/proc/self/cgroup', 'utf8') : '',
    isContainer:
      env.KUBERNETES_SERVICE_HOST !== undefined ||
      ['/.dockerenv', '/run/.containerenv'].some((file) => existsSync(file)),
  }
}
