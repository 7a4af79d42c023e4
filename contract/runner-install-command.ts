/** What is pasted into a terminal to start a runner: POSIX shell, as `sh`, bash and zsh read it. */
export interface RunnerCommand {
  /** Of the server, without a slash at its end. */
  url: string
  program: { path: string; sha256: string }
  token: string
  /** Folders with repositories it may use. */
  folders: readonly string[]
  box: string
  /** A program of the operator's own that is a coding agent; empty: what is found on the machine. */
  agent?: string
}

/**
 * Downloads the runner from the server itself, checks its sum, and starts it. Each line ends what follows when it fails:
 * what is not the file of that sum is never run.
 */
export function runnerCommand({ url, program, token, folders, box, agent = '' }: RunnerCommand): string {
  const name = 'signalbox-runner.mjs'
  const options = [
    ...['--url', quoted(url)],
    ...(folders.length > 0 ? ['--git-folders', quoted(folders.join(','))] : []),
    ...['--box', box],
    ...(agent ? ['--agents', quoted(`command=${agent}`)] : []),
  ]
  return [
    `curl -fsS -o ${name} ${quoted(`${url}${program.path}`)}`,
    `echo ${quoted(`${program.sha256}  ${name}`)} | $(command -v sha256sum || echo shasum -a 256) -c -`,
    `SERVICE_API_KEY=${token} node ${name} ${options.join(' ')}`,
  ].join(' &&\n')
}

/** As one word, whatever is in it; plain ones stay as they are. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
