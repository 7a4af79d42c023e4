import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Gateway, openGateway, type Usage } from '../gateway/gateway.ts'
import { Site } from '../test/drive.ts'
import { ledgerInto } from '../test/ledger.ts'
import { type Model, startModel } from '../test/model/model.ts'
import { plainBox } from '../test/plain-box.ts'
import { Player, sessionOf, usageOf } from '../test/play.ts'
import { plan, question, scripts } from '../test/scenarios.ts'
import { findAgents } from './find.ts'

/**
 * A launch costs seconds, so each turn shows two things, and each is played in one of the two ways of talking to it.
 * FAULTS=all plays all in both (`npm run test:faults`).
 */
const searchPath = path.join(import.meta.dirname, '..', '..', 'node_modules', '.bin')

for (const via of ['native', 'acp'] as const) {
  const only = (way: typeof via) =>
    way === via || process.env.FAULTS === 'all' ? {} : { skip: `played ${way}; here in npm run test:faults` }
  describe(`Gemini CLI, ${via}`, () => {
    const site = new Site()
    const agent = findAgents({ searchPath, choices: [`gemini=${via}`] }).find(
      ({ name }) => name === 'gemini',
    )!
    let model: Model
    let player: Player
    let gateway: Gateway
    const booked: Usage[] = []
    let session: string | null = null

    before(async () => {
      const { worktree, out } = site
      const all = scripts(worktree, out)
      model = await startModel({
        'scenario-plan-and-question': [...all['scenario-plan']!.slice(0, 2), ...all['scenario-question']!],
        'scenario-edit-over-budget': [all['scenario-edit']![0]!, ...all['scenario-over-budget']!],
        'scenario-cancel': all['scenario-cancel']!,
      })
      gateway = await openGateway({
        upstreams: { google: { base: model.url, key: 'real' } },
        ...{ usdMicros: 5_000_000, folder: site.out, ledger: ledgerInto(booked) },
      })
      player = new Player(agent, plainBox({ writesOutsideBlocked: true }), site, model, 'gemini-2.5-flash')
    })

    after(async () => {
      await gateway.close()
      await model[Symbol.asyncDispose]()
      site[Symbol.dispose]()
    })

    test(
      'leaves a plan in the result folder, and asks a question through the tool',
      only('native'),
      async () => {
        const seen = await player.play('plan-and-question', { readOnly: true, gateway })
        assert.deepEqual(seen.end, { ended: 'normally' })
        assert.deepEqual(JSON.parse(player.result('plan.json')!), plan)
        assert.deepEqual(seen.questions, [question])
        assert.deepEqual(
          usageOf(seen).map(({ input, output, amount }) => ({ input, output, amount })),
          [{ input: 4_000, output: 200, amount: null }],
        )
        // The gateway lets all of it through, and counts the same.
        assert.equal(
          booked.reduce((sum, { output }) => sum + output!, 0),
          200,
        )
        session = sessionOf(seen)
        const began = seen.events.filter(({ type }) => type === 'tool_began').length
        const ended = seen.events.filter((event) => event.type === 'tool_ended' && event.ok).length
        assert.deepEqual({ began, ended }, { began: 3, ended: 3 })
      },
    )

    test(
      'goes on in its session, edits a real file, and ends at a limit when the money is used up',
      only('native'),
      async () => {
        const { end, events } = await player.play('edit-over-budget', { session, gateway })
        const ids = events.flatMap((event) => (event.type === 'session' ? [event.id] : []))
        assert.deepEqual(ids, [session])
        assert.equal(player.file('greeting.txt')?.trim(), 'Hello.')
        assert.equal(end.ended, 'limit')
        assert.match('error' in end ? end.error : '', /budget of this run is used up/)
      },
    )

    test('ends when it is cancelled, while a command of its shell sleeps', only('acp'), async () => {
      const { end } = await player.cancel()
      assert.deepEqual(end, { ended: 'cancelled' })
      assert.notEqual(player.result('running'), null)
    })
  })
}
