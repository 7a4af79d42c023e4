import type { RunRow } from '@signalbox/contract/app/runs.ts'

export const executors: Record<RunRow['executor'], string> = {
  claude_code: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'OpenCode',
  copilot: 'Copilot',
  command: 'Custom command',
  scripted: 'Scripted',
}
