/** The coding agents, as people call them. No schema here: the app takes these values too. */
export const executorNames = {
  claude_code: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'OpenCode',
  copilot: 'Copilot',
  qwen: 'Qwen Code',
  pi: 'pi',
  acp: 'Agent over ACP',
  command: 'Custom command',
  scripted: 'Scripted',
} as const
