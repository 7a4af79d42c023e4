import type { Chat } from './chat.ts'
import type { GitHost } from './git-host.ts'
import type { History } from './history.ts'
import type { Mailer } from './mailer.ts'
import type { Pagers } from './pager.ts'
import type { Push } from './push.ts'
import type { Splitter } from './splitter.ts'
import type { Tracker } from './tracker.ts'
import type { Web } from './web.ts'
import type { WorkPort } from './work.ts'

/** How the engine reaches out. */
export interface Ports {
  work: WorkPort
  gitHost: GitHost
  history: History
  tracker: Tracker
  splitter: Splitter
  chat: Chat
  /** Null: no mail is sent. */
  mailer: Mailer | null
  push: Push
  pagers: Pagers
  web: Web
}
