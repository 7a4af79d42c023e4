import { dictionary } from '@signalbox/contract/dictionary.ts'
import { money } from '@signalbox/contract/money.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../domain/context.ts'
import { retryRun } from '../../domain/engine/lifecycle/retry.ts'
import { stopRun } from '../../domain/engine/lifecycle/stop.ts'
import { DomainError } from '../../domain/errors.ts'
import { teamsOfChannel } from '../../domain/work/chat/teams-of-channel.ts'
import { listDecisions } from '../../domain/work/decisions/list.ts'
import { orderRequirement } from '../../domain/work/requirements/order.ts'
import { readRun } from '../../domain/work/runs/read.ts'
import { listTeamRows, readTeamRow } from '../../domain/work/teams/list-rows.ts'
import { pauseTeam } from '../../domain/work/teams/pause.ts'
import { resumeTeam } from '../../domain/work/teams/resume.ts'

export interface CommandPlace {
  connectionId: string
  channel: string
  user: string
  /** The address of the workspace in the app. */
  app: string
}

type Command = (ctx: Context, words: string, place: CommandPlace) => Promise<string>

const help = [
  '`/signalbox decisions` lists decisions that need an answer.',
  '`/signalbox status [team]` shows how teams are doing.',
  '`/signalbox pause <team>` and `/signalbox resume <team>`',
  '`/signalbox stop run-xxxx` (asks you to confirm) and `/signalbox retry run-xxxx`',
  '`/signalbox requirement <text>` submits a requirement to the team of this channel.',
  '`/signalbox link` links your Slack account to your account in Signalbox.',
].join('\n')

/** Does what a slash command asks for and replies with the result to the person who typed it. */
export async function handleCommand(ctx: Context, text: string, place: CommandPlace): Promise<string> {
  const typed = text.trim()
  const [name = ''] = typed.split(/\s/, 1)
  const words = typed.slice(name.length).trim()
  const command = commands[name.toLowerCase()]
  if (!command) return help
  try {
    return await command(ctx, words, place)
  } catch (error) {
    if (error instanceof DomainError) return error.message
    throw error
  }
}

const mostListed = 10

const commands: Record<string, Command> = dictionary({
  async decisions(ctx, _words, { app }) {
    const { data } = await listDecisions(ctx, { status: 'pending' }, { limit: mostListed + 1, after: null })
    if (data.length === 0) return 'No decisions are waiting.'
    const listed = data.slice(0, mostListed).map((json) => fromJson(json))
    const lines = listed.map(({ key, title, team }) => `${key} (${team}): ${title} ${app}/decisions/${key}`)
    return [...lines, ...(data.length > mostListed ? [`More: ${app}`] : [])].join('\n')
  },

  async status(ctx, words) {
    const rows = words ? [await readTeamRow(ctx, words)] : await listTeamRows(ctx)
    if (rows.length === 0) return 'This workspace has no teams.'
    return rows
      .map((json) => fromJson(json))
      .map(
        ({ name, paused, running, waiting, stories, spentDayCents }) =>
          `${name}: ${paused ? 'paused, ' : ''}${counted(running, 'run')}, ${counted(waiting, 'decision')} waiting, ${stories.ready} ready, ${money(spentDayCents)} today`,
      )
      .join('\n')
  },

  async pause(ctx, words) {
    await pauseTeam(ctx, named(words, 'team', '/signalbox pause web'))
    return `${words} is paused. It starts no new work; what is running finishes.`
  },

  async resume(ctx, words) {
    await resumeTeam(ctx, named(words, 'team', '/signalbox resume web'))
    return `${words} is running again.`
  },

  async stop(ctx, words) {
    const [run = '', confirmed] = named(words, 'run', '/signalbox stop run-7k2q').split(/\s+/)
    // A slip of the pen must not end hours of work: it is asked, once.
    if (confirmed?.toLowerCase() !== 'confirm') {
      const { status, story } = fromJson(await readRun(ctx, run))
      return `Stop ${run} (${story.key}, ${status})? Any work it has not pushed is lost. To confirm: \`/signalbox stop ${run} confirm\``
    }
    await stopRun(ctx, run, { confirmed: true })
    return `${run} is stopped.`
  },

  async retry(ctx, words) {
    await retryRun(ctx, named(words, 'run', '/signalbox retry run-7k2q'), {})
    return `${words} starts another attempt.`
  },

  async requirement(ctx, words, { connectionId, channel, user }) {
    const text = named(words, 'text', '/signalbox requirement Export invoices as CSV')
    const teams = await teamsOfChannel(ctx, connectionId, channel)
    const [, slug, rest] = /^([a-z0-9-]+):([\s\S]*\S)$/.exec(text) ?? []
    const team = slug ?? (teams.length === 1 ? teams[0] : undefined)
    if (!team)
      throw new DomainError(
        'invalid_request',
        'The team is missing. Example: `/signalbox requirement web: <text>`',
      )
    const from = { connection: connectionId, channel, user }
    const { isShown } = await orderRequirement(ctx, { team, text: rest?.trim() ?? text }, from)
    return isShown
      ? `Submitted to ${team}. Its questions or drafts will appear in this channel.`
      : `Submitted to ${team}. You’ll get a link.`
  },
})

function named(words: string, what: string, example: string): string {
  if (words) return words
  throw new DomainError('invalid_request', `The ${what} is missing. Example: \`${example}\``)
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
