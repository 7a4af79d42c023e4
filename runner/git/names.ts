import { createHash } from 'node:crypto'

/** Names from outside never become names of files or refs here. */
export const nameOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** What keeps a commit that nothing else leads to. */
export const workRef = (head: string) => `refs/signalbox/work/${head}`

export function checkedId(id: string): string {
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(id)) throw new Error(`${id} is not a git object id.`)
  return id
}

/** What `git check-ref-format` takes, and a little less. */
export function checkedBranch(branch: string): string {
  const isSound =
    /^[^\s~^:?*[\\\p{Cc}]+$/u.test(branch) && !/\.\.|@\{|\/\/|^[-/.]|\/\.|[/.]$|\.lock(\/|$)|^@$/.test(branch)
  if (!isSound) throw new Error(`${JSON.stringify(branch)} is not a branch name.`)
  return branch
}
