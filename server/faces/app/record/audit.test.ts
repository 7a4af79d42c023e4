import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Checked, Verification } from '@signalbox/contract/app/audit.ts'
import { type AuditEntry, type ExportProof, maxExportEntries } from '@signalbox/contract/audit.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { Value } from 'typebox/value'
import { change, type Entry, housekeeping } from '../../../domain/record/audit/change.ts'
import { parseCsv } from '../../../domain/record/audit/csv.ts'
import { verifyExport } from '../../../domain/record/seals/verify-export.ts'
import { testApp } from '../../../test/app.ts'
import { aMember, aTeam, aWorkspace } from '../../../test/factories.ts'
import { signedIn } from '../../../test/signed-in.ts'
import { tables } from '../../../test/tables.ts'
import { until } from '../../../test/until.ts'

const aStep = {
  cause: 'started',
  status: 'running',
  stage: 'planning',
  attempt: 1,
  changes: [],
} satisfies Entry<'run_state_changed'>['details']

interface Listed {
  data: AuditEntry[]
  nextCursor: string | null
}

describe('the audit log in the app', () => {
  let app: Awaited<ReturnType<typeof testApp>>
  before(async () => {
    app = await testApp()
  })
  after(() => app.stop())

  async function aBrowser(role: Role = 'admin') {
    const workspace = await aWorkspace(app.storage.db)
    const member = { ...(await aMember(workspace, role)), slug: workspace.slug }
    const browser = await signedIn(app, member)
    /** As a link on one of our pages is followed. */
    const follow = (name: string, input: Record<string, string> = {}) =>
      fetch(`${app.url}/api/w/${workspace.slug}/${name}?${new URLSearchParams(input)}`, {
        headers: { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' },
      })
    const all = async (filter: Record<string, string>) => {
      const entries: AuditEntry[] = []
      let cursor: string | null = null
      do {
        const page: Listed = await ok(
          browser.read('audit.list', { ...filter, limit: '7', ...(cursor ? { cursor } : {}) }),
        )
        entries.push(...page.data)
        cursor = page.nextCursor
      } while (cursor)
      return entries
    }
    return { workspace, member, ...browser, follow, all }
  }

  const ok = async <T>(reply: Promise<Response>): Promise<T> => {
    const response = await reply
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return JSON.parse(text)
  }

  test('is for owners and admins', async () => {
    const member = await aBrowser('member')
    for (const name of ['audit.list', 'audit.count', 'audit.export', 'audit.verification']) {
      const reply = await member.follow(name)
      assert.equal(reply.status, 403, name)
      assert.equal(((await reply.json()) as { error: { code: string } }).error.code, 'insufficient_role')
    }
    assert.equal((await member.write('audit.verify')).status, 403)
    const id = '01999999-0000-7000-8000-000000000000'
    assert.equal((await member.read('audit.proof', { export: id })).status, 403)
    for (const role of ['owner', 'admin'] as const)
      assert.equal((await (await aBrowser(role)).read('audit.list')).status, 200)
  })

  test('shows through a filter what the same filter exports, in the same order, as both kinds of file', async () => {
    const { workspace, member, all, follow, read } = await aBrowser()
    const [ours, theirs] = [await aTeam(workspace), await aTeam(workspace)]
    const entries = ['run-aaaa', 'run-bbbb', null].flatMap((runKey) =>
      [ours, theirs].flatMap((team) =>
        [
          { event: 'run_state_changed', details: aStep } as const,
          { event: 'story_changed', details: { change: 'drafted' } } as const,
        ].map(
          (said): Entry => ({
            ...said,
            team: team.slug,
            runKey,
            entity: { type: 'story', id: 'WEB-1', name: '=cmd|" /C calc"!A0' },
          }),
        ),
      ),
    )
    for (const ctx of [workspace, member])
      for (const entry of entries) await change(ctx, async () => ({ value: null, audit: entry }))

    const today = new Date().toISOString().slice(0, 10)
    const filters: Record<string, string>[] = [
      { event: 'story_changed' },
      { team: ours.slug },
      { actor: 'system', event: 'Run state changed' },
      { run: 'run-aaaa', team: theirs.slug },
      { from: today, to: today, actor: 'human', team: ours.slug },
      { to: '2020-01-01' },
    ]
    for (const filter of filters) {
      const shown = await all(filter)
      const counted = await ok<{ count: number; more: boolean }>(read('audit.count', filter))
      assert.deepEqual(counted, { count: shown.length, more: false })
      for (const format of ['json', 'csv']) {
        const file = await follow('audit.export', { ...filter, format })
        assert.equal(file.status, 200)
        assert.equal(file.headers.get('x-service-export-count'), String(shown.length))
        assert.match(file.headers.get('content-disposition')!, new RegExp(`attachment; .*\\.${format}"$`))
        const text = await file.text()
        assert.deepEqual(format === 'csv' ? parseCsv(text) : JSON.parse(text), shown)
      }
    }
  })

  test('an export is recorded, and its proof holds for the file', async () => {
    const { follow, all } = await aBrowser()
    const file = await follow('audit.export', { event: 'member_joined' })
    const id = file.headers.get('x-service-export-id')!
    const entries = (await file.json()) as AuditEntry[]
    assert.deepEqual(
      (await all({ event: 'audit_exported' })).map(({ entity }) => entity.id),
      [id],
    )
    let proof: Response | undefined
    await until('the export is sealed', async () => {
      proof = await follow('audit.proof', { export: id })
      return proof.status === 200
    })
    assert.match(proof!.headers.get('content-disposition')!, /attachment/)
    assert.deepEqual(verifyExport(entries, (await proof!.json()) as ExportProof, null), [])
  })

  test('an export is asked for by our own pages alone', async () => {
    const { workspace, cookie, all } = await aBrowser()
    for (const site of ['cross-site', 'same-site', 'none', undefined]) {
      const reply = await fetch(`${app.url}/api/w/${workspace.slug}/audit.export`, {
        headers: { cookie, ...(site ? { 'sec-fetch-site': site } : {}) },
      })
      assert.equal(reply.status, 403, site)
    }
    assert.deepEqual(await all({ event: 'audit_exported' }), [])
  })

  test('a mistyped filter is refused instead of widened', async () => {
    const { read } = await aBrowser()
    for (const filter of [{ teem: 'x' }, { event: 'no_such_event' }, { from: 'yesterday' }]) {
      for (const name of ['audit.list', 'audit.count'])
        assert.equal((await read(name, filter as never)).status, 400)
    }
  })

  test('counting ends one after what an export takes, and counts what is newer than an entry', async () => {
    const { workspace, member, read, all } = await aBrowser()
    const [newest] = await all({})
    const newer = () => ok(read('audit.count', { newerThan: newest!.id }))
    assert.deepEqual(await newer(), { count: 0, more: false })
    const entries = Array.from(
      { length: maxExportEntries },
      (): Entry => ({
        event: 'story_changed',
        entity: { type: 'story', id: 'WEB-1' },
        details: { change: 'drafted' },
      }),
    )
    await change(member, async () => ({ value: null, audit: entries }))
    assert.deepEqual(await newer(), { count: maxExportEntries, more: false })
    assert.deepEqual(await ok(read('audit.count')), { count: maxExportEntries, more: true })
    await change(workspace, async () => ({ value: null, audit: entries[0]! }))
    assert.deepEqual(await newer(), { count: maxExportEntries, more: true })
  })

  test('a check says what was read and is recorded; what was tampered with is named', async () => {
    const { workspace, read, write, all } = await aBrowser('owner')
    const state = () => ok<Verification>(read('audit.verification'))
    await until('everything is sealed', async () => (await state()).waiting === 0)
    const before = await state()
    assert.ok(Value.Check(Verification, before))
    assert.equal(before.lastCheck, null)
    assert.equal(before.checkpoint!.trusted, true)
    assert.match(before.checkpoint!.key, new RegExp(`\\+${before.checkpoint!.keyId}\\+`))
    const checked = await ok<Checked>(write('audit.verify'))
    assert.ok(Value.Check(Checked, checked))
    assert.deepEqual([checked.entries, checked.findings], [before.checkpoint!.entries, []])
    const [entry] = await all({ event: 'audit_verified' })
    assert.deepEqual([entry!.result, entry!.details.entries], ['success', checked.entries])
    assert.deepEqual((await state()).lastCheck, {
      at: entry!.timestamp,
      by: 'A owner',
      entries: checked.entries,
      findings: 0,
    })

    // An entry that is added behind the server's back leaves no trace in the tree.
    await housekeeping(app.storage.db, 'add an entry unseen', (tx) =>
      tables(tx)
        .insertInto('audit_entries')
        .values({
          id: '00000000-0001-7000-8000-000000000000',
          workspace_id: workspace.workspaceId,
          actor_type: 'human',
          event: 'story_changed',
          entry: '{}',
        })
        .execute(),
    )
    const again = await ok<Checked>(write('audit.verify'))
    assert.equal(again.findings.length, 1)
    assert.match(again.findings[0]!, /never sealed/)
    assert.equal((await state()).lastCheck!.findings, 1)
  })
})
