import type { App } from '../server/app/app.ts'
import { startChat } from './tools/chat.ts'

/** An outside tool of the demo: a double on this machine, labelled as one. */
export interface DemoTool {
  /** Where people look at it; undefined: there is nothing to see. */
  url?: string
  stop(): Promise<void>
}

/** What a tool is started with. */
export interface DemoToolOptions {
  /** Of the demo: a tool keeps there what must outlive a restart. */
  dataDir: string
}

/** The doubles that are started beside the demo, by the name under which the demo prints them. */
export const demoTools: Record<string, (app: App, options: DemoToolOptions) => Promise<DemoTool>> = {
  chat: startChat,
}
