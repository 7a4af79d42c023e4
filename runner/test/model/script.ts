/**
 * What a scripted model does, step by step, no matter who asks. A step is translated into a call of a tool that is on
 * offer; one that no tool fits is left out.
 */
export type Step =
  | { write: string; text: string }
  | { shell: string }
  /** `file`: where an agent without a tool for it leaves the question. */
  | { ask: object; file?: string }
  /** Ends the turn. */
  | { say: string }
  /** What a gateway answers when the money is used up. */
  | { overBudget: true }

/** By a word that the prompt contains. */
export type Scripts = Record<string, Step[]>

/** A tool as any of the formats offers it. */
export interface Tool {
  name: string
  /** Of its input: each name with its JSON type. Null: it takes free text. */
  properties: Record<string, string> | null
  /** Where the format puts tools of a server into a group, the name of the group. */
  namespace?: string
  /** Shows tools that were not on offer at first; to call it is no step of its own. */
  isSearch?: true
}

export type Move = { call: Tool; input: Record<string, unknown> | string } | { say: string } | { refuse: 402 }

export type Answer = Exclude<Move, { refuse: 402 }>

/** What a request tells, in whatever format: the words of each user message, and how many tool results follow it. */
export interface ModelRequest {
  model: string
  isStreamed: boolean
  tools: Tool[]
  prompts: { text: string; results: number }[]
}

/**
 * Nothing is remembered: where the script stands is seen in the request, so repetitions and resumed sessions just work.
 */
export function nextMove(scripts: Scripts, asked: ModelRequest): Move {
  // A title or a summary, in passing.
  if (asked.tools.length === 0) return { say: 'A scripted answer.' }
  const words = Object.keys(scripts)
  const at = asked.prompts.findLastIndex(({ text }) => words.some((word) => text.includes(word)))
  if (at < 0) return { say: 'No script has a word of this prompt.' }
  const word = words.find((each) => asked.prompts[at]!.text.includes(each))!
  const done = asked.prompts.slice(at).reduce((sum, { results }) => sum + results, 0)
  const moves = scripts[word]!.flatMap((step) => moveOf(step, asked.tools) ?? [])
  return moves[done] ?? { say: 'That is all.' }
}

function moveOf(step: Step, tools: Tool[]): Move | null {
  if ('say' in step) return { say: step.say }
  if ('overBudget' in step) return { refuse: 402 }
  if ('ask' in step) {
    const call = tools.find(({ name }) => name.endsWith('request_human_input'))
    if (call) return { call, input: { ...step.ask } }
    const search = tools.find(({ isSearch }) => isSearch)
    if (search) return { call: search, input: { query: 'request_human_input', limit: 5 } }
    return step.file === undefined
      ? null
      : moveOf({ write: step.file, text: JSON.stringify(step.ask) }, tools)
  }
  if ('shell' in step) return shell(step.shell, tools)
  return (
    write(step.write, step.text, tools) ?? shell(`cat > '${step.write}' <<'END'\n${step.text}\nEND`, tools)
  )
}

const writers = ['apply_patch', 'Write', 'write_file', 'create', 'write']
const shells = ['exec_command', 'shell', 'shell_command', 'Bash', 'run_shell_command', 'bash']
const paths = ['file_path', 'filePath', 'path']
const contents = ['content', 'file_text']

function write(path: string, text: string, tools: Tool[]): Move | null {
  const call = firstOf(writers, tools)
  if (!call) return null
  const patch = `*** Begin Patch\n*** Add File: ${path}\n${text.replace(/^/gm, '+')}\n*** End Patch`
  if (call.properties === null) return { call, input: patch }
  if (call.name === 'apply_patch') return { call, input: { [Object.keys(call.properties)[0]!]: patch } }
  const input = Object.fromEntries([
    ...paths.filter((name) => name in call.properties!).map((name) => [name, path]),
    ...contents.filter((name) => name in call.properties!).map((name) => [name, text]),
  ])
  return { call, input }
}

function shell(line: string, tools: Tool[]): Move | null {
  const call = firstOf(shells, tools)
  if (!call?.properties) return null
  const name = 'cmd' in call.properties ? 'cmd' : 'command'
  const input: Record<string, unknown> = {
    [name]: call.properties[name] === 'array' ? ['bash', '-lc', line] : line,
  }
  if ('description' in call.properties) input.description = 'Runs a line of the script'
  return { call, input }
}

const firstOf = (names: string[], tools: Tool[]) =>
  names.map((name) => tools.find((tool) => tool.name === name)).find((tool) => tool !== undefined)

/** Of every answer, so that what was counted can be asserted to the token. Cached tokens are part of the input. */
export const usage = { input: 1_000, cacheRead: 200, output: 50 }
