/** What a runner looks for on the PATH, and how each is installed. Agents over ACP alone need what stands here, too. */
export const agentPrograms = [
  { executor: 'claude_code', program: 'claude', install: 'npm install -g @anthropic-ai/claude-code' },
  { executor: 'codex', program: 'codex', install: 'npm install -g @openai/codex' },
  { executor: 'gemini', program: 'gemini', install: 'npm install -g @google/gemini-cli' },
  { executor: 'opencode', program: 'opencode', install: 'npm install -g opencode-ai' },
  { executor: 'copilot', program: 'copilot', install: 'npm install -g @github/copilot' },
  { executor: 'qwen', program: 'qwen', install: 'npm install -g @qwen-code/qwen-code' },
  { executor: 'pi', program: 'pi', install: 'npm install -g @earendil-works/pi-coding-agent pi-acp' },
] as const
