import { startChat } from './tools/chat.ts'
import type { StartTool } from './tools/tool.ts'

/** The doubles that are started beside the demo, by the name under which the demo prints them. */
export const demoTools: Record<string, StartTool> = {
  chat: startChat,
}
