import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { dictionary } from '@signalbox/contract/dictionary.ts'
import { executors } from '@signalbox/contract/team.ts'
import { type Private, privateHere } from '../box/exposure.ts'
import { ExitError, exitCodes } from '../exit-error.ts'
import { acpAgent } from './acp.ts'
import type { Agent } from './agent.ts'
import { claudeAgent } from './claude.ts'
import { codexAgent } from './codex.ts'
import { commandAgent } from './command.ts'
import { geminiAgent } from './gemini.ts'
import { findProgram, installFolder, launchOf } from './installed.ts'
import type { NativeLaunch } from './native.ts'
import { type Preset, presets } from './presets.ts'
import { scriptedAgent } from './scripted.ts'

const natives: Record<string, { program: string; agent: (launch: NativeLaunch) => Agent }> = dictionary({
  claude_code: { program: 'claude', agent: claudeAgent },
  codex: { program: 'codex', agent: codexAgent },
  gemini: { program: 'gemini', agent: geminiAgent },
})

export interface FindOptions {
  /** Folders as in PATH. */
  searchPath: string
  /**
   * What the operator says of an executor: `codex=acp`, `codex=native`, `codex=off`, `acp=my-agent --acp`,
   * `command=my-program --flag`, `scripted`, `scripted=FILE`.
   */
  choices?: string[]
  /** The runner's own folder, of which nothing is shown to an agent. */
  data?: string
}

/**
 * The agents of this machine, one for each executor: by their own command line where we speak it, else over ACP. Programs
 * and scripts are only there when the operator says so.
 */
export function findAgents({ searchPath, choices = [], data }: FindOptions): Agent[] {
  const from: Place = { searchPath, kept: privateHere(data ?? null) }
  const chosen = new Map(choices.map(choiceOf))
  const found: Agent[] = []
  for (const name of ['claude_code', 'codex', 'gemini', 'opencode', 'copilot', 'qwen', 'pi'] as const) {
    const choice = chosen.get(name)
    if (choice === 'off') continue
    if (choice !== undefined && choice !== 'native' && choice !== 'acp')
      throw notHere(`--agents: ${name} must be native, acp or off, not ${choice}.`)
    const agent =
      (choice === 'acp' ? null : findNative(name, from)) ??
      (choice === 'native' ? null : findAcp(name, presets[name], from))
    if (agent) found.push(agent)
    else if (choice)
      throw notHere(`--agents: no ${choice} program for ${name} was found; see docs/agents.md.`)
  }
  const command = chosen.get('command')
  if (command !== undefined) found.push(findCommand(command, from))
  const acp = chosen.get('acp')
  if (acp !== undefined) found.push(findOverAcp(acp, from))
  const script = chosen.get('scripted')
  if (script !== undefined) found.push(scriptedAgent({ file: script === '' ? null : path.resolve(script) }))
  return found
}

/** Where programs are looked for, and what of this machine is not shown for their sake. */
interface Place {
  searchPath: string
  kept: Private
}

function choiceOf(choice: string): [string, string] {
  const [name, ...rest] = choice.split('=')
  if (!executors.some((executor) => executor === name))
    throw notHere(`--agents: there is no agent ${name}. Use ${executors.join(', ')}.`)
  return [name!, rest.join('=')]
}

function findNative(name: string, { searchPath, kept }: Place): Agent | null {
  const native = natives[name]
  const program = native && findProgram(native.program, searchPath)
  return program
    ? native.agent({
        command: launchOf(program),
        version: versionOf(program),
        readable: [installFolder(program, kept)],
      })
    : null
}

function findAcp(name: string, preset: Preset, { searchPath, kept }: Place): Agent | null {
  const { executor, acp, configure, takesServers, reportsCachedTokensSeparately, beforeLoading } = preset
  const programs = [acp.program, ...acp.needs].map((program) => findProgram(program, searchPath))
  const [program] = programs
  if (!program || programs.includes(null)) return null
  return acpAgent({
    ...{ executor, name, version: versionOf(program) },
    command: [...launchOf(program), ...acp.args],
    path: programs.slice(1).map((needed) => path.dirname(needed!)),
    readable: [...new Set(programs.map((each) => installFolder(each!, kept)))],
    ...{ configure, takesServers, reportsCachedTokensSeparately },
    ...(beforeLoading ? { beforeLoading } : {}),
  })
}

const findCommand = (line: string, from: Place): Agent => commandAgent(launchIn(line, from))

const findOverAcp = (line: string, from: Place): Agent =>
  acpAgent({
    ...launchIn(line, from),
    ...{ executor: 'acp', path: [], takesServers: true, reportsCachedTokensSeparately: false },
    configure: ({ url }) => ({ environment: url ? { SIGNALBOX_MODEL_URL: url } : {}, files: {}, args: [] }),
  })

/** A command line that the operator gave. */
function launchIn(line: string, { searchPath, kept }: Place) {
  const [name = '', ...args] = wordsOf(line)
  const program = findProgram(name, searchPath)
  if (!program) throw notHere(`The program ${name} was not found; see docs/manual/agents/command.md.`)
  const script = scriptOf(args)
  return {
    ...{
      name: path.basename(script?.file ?? program),
      // An interpreter's own version says nothing about the script.
      version: script ? null : versionOf(program),
      readable: [program, ...(script ? [script.file] : [])].map((file) => installFolder(file, kept)),
    },
    command: [...launchOf(program), ...(script ? args.with(script.at, script.file) : args)],
  }
}

/** `node agent.mjs`, `python3 -u agent.py`: what an interpreter is given has to be readable, too, wherever it starts. */
function scriptOf(args: string[]): { at: number; file: string } | null {
  const at = args.findIndex((arg) => !arg.startsWith('-'))
  const file = at < 0 ? null : path.resolve(args[at]!)
  return file !== null && existsSync(file) && statSync(file).isFile()
    ? { at, file: realpathSync(file) }
    : null
}

/** The operator named something that is not here; the message says what to do. */
const notHere = (message: string) => new ExitError(message, exitCodes.usage)

/** Words apart, what is in quotes together. */
const wordsOf = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)

/** Read from the package it is part of: to start an agent only to hear its version takes seconds. */
function versionOf(program: string): string | null {
  let folder = path.dirname(realpathSync(program))
  for (; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const file = path.join(folder, 'package.json')
    if (!existsSync(file)) continue
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string }
    if (name && version) return version
  }
  return null
}
