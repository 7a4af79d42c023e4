/**
 * What a model provider does on its own in the course of a call, on its own machines and past the runner's gateway: an
 * agent that may use it reaches others through its provider. No schema here: the app takes these values too.
 */
export const modelTools = ['web_search', 'web_fetch', 'remote_mcp', 'remote_files'] as const
export type ModelTool = (typeof modelTools)[number]
