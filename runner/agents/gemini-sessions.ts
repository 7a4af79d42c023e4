import { HeldFolder } from '../disk/held-folder.ts'

const minute = /^session-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-/

/**
 * Gemini CLI names the file of a session by the minute in which it begins and the start of its id. To load a session
 * over ACP it begins one of that id first: within the same minute that is the same file, which it empties before it
 * reads it. So a file of its own past gets an earlier minute before it is asked to load it.
 */
export function backdateSession(home: string, session: string, now = new Date()): void {
  using held = HeldFolder.open(home)
  const root = '.gemini/tmp'
  // It may take a while to start, and the next minute may have begun by then.
  const recent = now.getTime() - 60_000
  for (const project of held.list(root))
    for (const { name } of held.list(`${root}/${project.name}/chats`)) {
      const [begins, hour, minutes] = minute.exec(name) ?? []
      if (!begins || !name.startsWith(`${begins}${session.slice(0, 8)}.`)) continue
      let at = Date.parse(`${hour}:${minutes}:00Z`)
      if (Number.isNaN(at) || at < recent - 60_000) continue
      const chats = `${root}/${project.name}/chats`
      const named = (when: number) =>
        `${chats}/session-${new Date(when).toISOString().slice(0, 16).replaceAll(':', '-')}-${name.slice(begins.length)}`
      do at -= 120_000
      while (held.kind(named(at)) !== null)
      held.rename(`${chats}/${name}`, named(at))
    }
}
