import { createHmac } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import type { StoryPage } from '@signalbox/contract/app/stories.ts'
import { type Arrival, arrivals, moving } from '../halden-parcels/arrivals.ts'

/**
 * Keeps the demo moving while it is open: a story arrives and is worked on, an alert fires and recovers, and another one
 * names the file that the new merge changed, so that it is investigated and its revert proposed. The same moves in the
 * same order in every demo, through the same doors as a visitor's; and only about what it has brought itself. What a
 * visitor has touched of that is theirs from then on.
 */
export interface MovesOptions {
  url: string
  workspace: string
  /** Signs in as a visitor does. */
  person: { email: string; password: string; name: string }
  /** Where alerts are sent, and with which secret. */
  source: { url: string; secret: string }
  /** Where it is written down how far it has come: the next start goes on from there. */
  file: string
  /** How many moves a data folder sees, all its starts together. */
  most: number
  /** Between two moves. */
  pauseMs: number
  onError: (error: Error) => void
}

interface State {
  moves: number
  /** Of the episode that is being played. */
  episode: number
  step: number
  story: string | null
  /** How often the step was put off. */
  waited: number
}

export const begun: State = { moves: 0, episode: 0, step: 0, story: null, waited: 0 }

/** A step that would come too early is tried again this often, then the episode is over. */
const mostWaits = 8

/** True: it is done. False: it is too early. Null: there is nothing more to do in this episode. */
type Outcome = boolean | null
type Step = (moves: Moves, arrival: Arrival, state: State) => Promise<Outcome>

const steps: Step[] = [
  (moves, arrival, state) => moves.bringStory(arrival, state),
  (moves, { blip }, { episode }) => moves.alert(`blip-${episode}`, { title: blip, severity: 'high' }),
  (moves, { blip }, { episode }) => moves.recover(`blip-${episode}`, blip),
  (moves, arrival, state) => moves.breakWhatWasMerged(arrival, state),
  (moves, arrival, state) => moves.keepMerge(arrival, state),
  (moves, { story }, { episode }) => moves.recover(`merge-${episode}`, titleOf(story.title)),
]

const titleOf = (story: string) => `Event feed fails: ${story.toLowerCase()}`

export class Moves {
  readonly #options: MovesOptions
  readonly #stopped = new AbortController()
  #cookie: string | null = null
  #playing: Promise<void> = Promise.resolve()

  constructor(options: MovesOptions) {
    this.#options = options
  }

  start(): void {
    this.#playing = this.#play().catch((error) => {
      if (!this.#stopped.signal.aborted) this.#options.onError(error)
    })
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#playing
  }

  async #play(): Promise<void> {
    const { file, most, pauseMs, onError } = this.#options
    let state: State = await readFile(file, 'utf8').then(JSON.parse, () => begun)
    while (state.moves < most && state.episode < arrivals.length) {
      await sleep(pauseMs, undefined, { signal: this.#stopped.signal, ref: false })
      const draft = { ...state }
      const arrival = arrivals[state.episode]!
      const outcome = await steps[state.step]!(this, arrival, draft).catch((error: Error) => {
        if (!this.#stopped.signal.aborted) onError(error)
        return false
      })
      state = next(draft, outcome)
      await writeFile(file, JSON.stringify(state))
    }
  }

  /** A story that is ready: its team takes it up, and its run goes by. */
  async bringStory({ story }: Arrival, state: State): Promise<Outcome> {
    const { key } = await this.#write<{ key: string }>('stories.create', { team: moving.team, ...story })
    await this.#write('stories.move', { key, to: 'ready' })
    state.story = key
    return true
  }

  async alert(
    fingerprint: string,
    alert: { title: string; severity: string; description?: string },
  ): Promise<Outcome> {
    // It would join what a visitor has open.
    if (await this.#isBusy()) return null
    await this.#send({ fingerprint, ...alert })
    return true
  }

  async #isBusy(): Promise<boolean> {
    const { data } = await this.#read<{ data: { service: { name: string } }[] }>('incidents.list', {
      status: 'open',
    })
    return data.some(({ service }) => service.name === moving.service)
  }

  /** What fired recovers, unless a visitor has the incident in hand. */
  async recover(fingerprint: string, title: string): Promise<Outcome> {
    const incident = await this.#incident(title)
    if (!incident || this.#isTouched(incident)) return null
    await this.#send({ fingerprint, title, severity: 'high', status: 'resolved' })
    return true
  }

  /** Once the story is merged, its code fails in the file that the merge changed. */
  async breakWhatWasMerged({ story, error }: Arrival, state: State): Promise<Outcome> {
    const page = await this.#read<StoryPage>('stories.read', { key: state.story! })
    const run = page.runs[0]
    if (!run) return false
    const { changes, run: read } = await this.#read<{
      changes: { paths: string[] } | null
      run: { status: string }
    }>('runs.read', { key: run.key })
    if (read.status !== 'succeeded') return ['failed', 'stopped'].includes(read.status) ? null : false
    const path = changes?.paths[0]
    if (!path) return null
    const description = `${error}\n    at handle (${path}:31:17)`
    return this.alert(`merge-${state.episode}`, {
      ...{ title: titleOf(story.title), severity: 'critical', description },
    })
  }

  /** If no one answers it, the person who brought the story keeps its merge. */
  async keepMerge({ story }: Arrival, state: State): Promise<Outcome> {
    // First a visitor has time for it.
    if (state.waited < 3) return false
    const incident = await this.#incident(titleOf(story.title))
    const asked = incident?.decisions.find(({ status }) => status === 'pending')
    if (!incident || !asked || this.#isTouched(incident)) return null
    const { decision } = await this.#read<{
      decision: { options: { id: string; action: string }[] }
    }>('decisions.read', { key: asked.key })
    const keep = decision.options.find(({ action }) => action === 'decline_proposal')
    if (!keep) return null
    const note = 'A small fix is on its way; the merge stays.'
    await this.#write('decisions.resolve', { key: asked.key, optionId: keep.id, note })
    return true
  }

  /** The newest of that title. */
  async #incident(title: string): Promise<IncidentPage | null> {
    const { data } = await this.#read<{ data: { key: string; title: string }[] }>('incidents.list', {})
    const found = data.find((one) => one.title === title)
    return found ? this.#read<IncidentPage>('incidents.read', { incident: found.key }) : null
  }

  #isTouched({ timeline, status, assignee, decisions }: IncidentPage): boolean {
    const { name } = this.#options.person
    const others = [...timeline.map(({ by }) => by), ...decisions.map(({ by }) => by)]
    return (
      status === 'resolved' ||
      assignee !== null ||
      others.some((person) => person !== null && person !== name)
    )
  }

  async #send(alert: Record<string, string>): Promise<void> {
    const { url, secret } = this.#options.source
    const body = JSON.stringify({ service: moving.service, ...alert })
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    await this.#fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-signature': `sha256=${signature}` },
      body,
    })
  }

  #read<T>(operation: string, input: Record<string, string>): Promise<T> {
    return this.#ask(`${operation}?${new URLSearchParams(input)}`, {})
  }

  #write<T>(operation: string, input: object): Promise<T> {
    return this.#ask(operation, { method: 'POST', body: JSON.stringify(input) })
  }

  async #ask<T>(operation: string, init: RequestInit): Promise<T> {
    const { url, workspace } = this.#options
    this.#cookie ??= await this.#signIn()
    const headers = { cookie: this.#cookie, origin: url, 'content-type': 'application/json' }
    try {
      const response = await this.#fetch(`${url}/api/w/${workspace}/${operation}`, { ...init, headers })
      const text = await response.text()
      return (text ? JSON.parse(text) : null) as T
    } catch (error) {
      // A session ends one day.
      this.#cookie = null
      throw error
    }
  }

  async #signIn(): Promise<string> {
    const { url, person } = this.#options
    const response = await this.#fetch(`${url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ email: person.email, password: person.password }),
    })
    return response.headers
      .getSetCookie()
      .map((set) => set.split(';')[0])
      .join('; ')
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const response = await fetch(url, { ...init, signal: this.#stopped.signal })
    if (!response.ok)
      throw new Error(`${new URL(url).pathname} answered ${response.status}: ${await response.text()}`)
    return response
  }
}

/** Where it goes on. What is put off too often ends its episode, so that each episode has an end. */
export function next(state: State, outcome: Outcome): State {
  const over = { ...begun, moves: state.moves, episode: state.episode + 1 }
  if (outcome === null) return over
  if (!outcome) return state.waited + 1 < mostWaits ? { ...state, waited: state.waited + 1 } : over
  const moves = state.moves + 1
  return state.step + 1 < steps.length
    ? { ...state, moves, step: state.step + 1, waited: 0 }
    : { ...over, moves }
}
