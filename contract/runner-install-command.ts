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

const name = 'signalbox-runner.mjs'

/**
 * Node does the download and the sum: a machine that can run the runner needs nothing else for it. What has another sum
 * is not written to the disk. There is no apostrophe in it, so that a shell takes it as one word, and no exclamation
 * mark, which older shells replace even there.
 */
const download = `
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
const [, url, sum] = process.argv
const fail = (why) => { console.error(why); process.exit(1) }
const answer = await fetch(url).catch((error) => fail(url + " cannot be reached: " + (error.cause || error).message))
answer.ok || fail(url + " answered " + answer.status + ". " + await answer.text())
const bytes = Buffer.from(await answer.arrayBuffer())
createHash("sha256").update(bytes).digest("hex") === sum || fail("${name}: FAILED. Its SHA-256 is not the one in the command.")
writeFileSync("${name}", bytes)
console.log("${name}: OK")
`

/**
 * Downloads the runner from the server itself, checks its sum, and starts it. Each part ends what follows when it fails:
 * what is not the file of that sum is never run.
 */
export function runnerCommand({ url, program, token, folders, box, agent = '' }: RunnerCommand): string {
  const options = [
    ...['--url', quoted(url)],
    ...(folders.length > 0 ? ['--git-folders', quoted(folders.join(','))] : []),
    ...['--box', box],
    ...(agent ? ['--agents', quoted(`command=${agent}`)] : []),
  ]
  return [
    `node --input-type=module -e '${download}' ${quoted(`${url}${program.path}`)} ${program.sha256}`,
    `SERVICE_API_KEY=${token} node ${name} ${options.join(' ')}`,
  ].join(' &&\n')
}

/** As one word, whatever is in it; plain ones stay as they are. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
