import { existsSync, readdirSync, renameSync } from 'node:fs'
import path from 'node:path'

const minute = /^session-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-/

/**
 * Gemini CLI names the file of a session by the minute in which it begins and the start of its id. To load a session
 * over ACP it begins one of that id first: within the same minute that is the same file, which it empties before it
 * reads it. So a file of its own past gets an earlier minute before it is asked to load it.
 */
export function dateBack(home: string, session: string, now = new Date()): void {
  const root = path.join(home, '.gemini', 'tmp')
  // It may take a while to start, and the next minute may have begun by then.
  const recent = now.getTime() - 60_000
  for (const project of namesIn(root))
    for (const name of namesIn(path.join(root, project, 'chats'))) {
      const [begins, hour, minutes] = minute.exec(name) ?? []
      if (!begins || !name.startsWith(`${begins}${session.slice(0, 8)}.`)) continue
      let at = Date.parse(`${hour}:${minutes}:00Z`)
      if (Number.isNaN(at) || at < recent - 60_000) continue
      const chats = path.join(root, project, 'chats')
      const named = (when: number) =>
        `session-${new Date(when).toISOString().slice(0, 16).replaceAll(':', '-')}-${name.slice(begins.length)}`
      do at -= 120_000
      while (existsSync(path.join(chats, named(at))))
      renameSync(path.join(chats, name), path.join(chats, named(at)))
    }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
