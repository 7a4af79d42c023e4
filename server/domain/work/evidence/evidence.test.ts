import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { preAuthentication, rawKey, seal } from '@signalbox/contract/dsse.ts'
import {
  payloadType,
  policyUri,
  type RunEvidence,
  runEvidenceType,
  type Statement,
  type SummaryStatement,
  statementType,
  summaryOf,
  summaryType,
  type TestResultStatement,
  testResultType,
} from '@signalbox/contract/runner/evidence.ts'
import { rootOfParts } from '../../../infra/merkle.ts'
import { secretsFrom } from '../../../infra/secrets.ts'
import { verifierKey } from '../../../infra/signed-note.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { reportWork } from '../../engine/lifecycle/report.ts'
import { stopRun } from '../../engine/lifecycle/stop.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { entryHash } from '../../record/seals/canonical.ts'
import { originOf, signCheckpoint } from '../../record/seals/checkpoint.ts'
import { sealWorkspace } from '../../record/seals/seal.ts'
import { keepFile } from '../files/keep.ts'
import { removeOldFiles } from '../files/remove-old.ts'
import { readRunPage } from '../runs/page/read.ts'
import { packEvidence } from './pack.ts'
import { verifyPack } from './verify-pack.ts'

const database = await testDatabase()
after(() => database.close())
const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-evidence-'))
after(() => rm(folder, { recursive: true, force: true }))

const { signing } = secretsFrom('a key for tests that nobody else has')
const digestOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const work = { base: goesWell.begun.base, head: 'c'.repeat(40), bundle: 'e'.repeat(64) }
const diff = 'f'.repeat(64)
const gates = {
  ...goesWell.gates,
  evidence: { ...goesWell.gates.evidence, commit: work.head },
} as const

/** A runner with a key, and a run whose gates it has run. */
async function atTheGates() {
  const engine = new TestEngine(database.db)
  const run = await OneRun.begin(engine)
  await run.tell(goesWell.begun, goesWell.plan, goesWell.spec)
  await run.tell({ ...goesWell.change, pullRequest: null, work, diff, findings: [] })
  const { privateKey } = generateKeyPairSync('ed25519')
  const signer = { runner: randomUUID(), key: rawKey(privateKey) }
  const predicate: RunEvidence = {
    story: { key: run.story.key, title: 'Round down' },
    run: run.key,
    attempt: 1,
    base: work.base,
    head: work.head,
    policyVersion: run.order.policy.version,
    isolation: goesWell.begun.isolation,
    agent: goesWell.begun.agent,
    gates: gates.gates.map((gate) => ({ ...gate, onBase: 'passed', log: null })),
    criteria: [],
    spec: goesWell.spec.spec,
    diff: { sha256: diff, files: 1, additions: 8, deletions: 2, findings: [] },
    demonstration: null,
    cost: [{ currency: 'USD', amount: 0.12 }],
    runner: { id: signer.runner, key: signer.key },
    collectedAt: '2026-11-15T12:00:00.000Z',
  }
  const statementOf = (departures: Partial<RunEvidence> = {}, head = work.head): Statement => ({
    _type: statementType,
    subject: [{ name: 'git+halden/shop', digest: { gitCommit: head } }],
    predicateType: runEvidenceType,
    predicate: { ...predicate, ...departures },
  })
  const envelopeOf = (statement: unknown, key = privateKey) =>
    JSON.stringify(seal(payloadType, Buffer.from(JSON.stringify(statement)), key))
  const keep = async (text: string) => {
    const sha256 = digestOf(text)
    await keepFile(run.owner, { order: run.order, sha256, bytes: Buffer.from(text) })
    return sha256
  }
  const report = async (envelope: string, by: typeof signer | null = signer, attached: string[] = []) => {
    const event = {
      ...gates,
      envelope: await keep(envelope),
      ...(attached.length > 0 ? { statements: await Promise.all(attached.map(keep)) } : {}),
    }
    return engine.report(run.order, event, undefined, by ?? undefined)
  }
  /** What a runner signs beside: a result per gate, and the summary. */
  const about = { _type: statementType, subject: statementOf().subject } as const
  const resultOf = (
    name: string,
    result: 'PASSED' | 'WARNED' | 'FAILED' = 'PASSED',
  ): TestResultStatement => ({
    ...about,
    predicateType: testResultType,
    predicate: {
      result,
      configuration: [{ name, digest: { sha256: digestOf(name) } }],
      passedTests: ['rounds down'],
      failedTests: [],
    },
  })
  const policyText = JSON.stringify(run.order.policy)
  const summaryOfAll = (
    inputs: string[],
    departures: Partial<SummaryStatement['predicate']> = {},
  ): SummaryStatement => ({
    ...about,
    predicateType: summaryType,
    predicate: {
      verifier: { id: `urn:uuid:${signer.runner}`, version: { 'signalbox-runner': '0.1.0' } },
      timeVerified: predicate.collectedAt,
      resourceUri: `git+halden/shop@${work.head}`,
      policy: {
        uri: policyUri('shop', predicate.policyVersion),
        digest: { sha256: digestOf(policyText) },
        content: Buffer.from(policyText).toString('base64'),
      },
      inputAttestations: inputs.map((sha256) => ({ uri: `urn:sha256:${sha256}`, digest: { sha256 } })),
      ...summaryOf(predicate),
      ...departures,
    },
  })
  const attachedTo = (envelope: string) => {
    const results = gates.gates.map(({ name }) => envelopeOf(resultOf(name)))
    return [...results, envelopeOf(summaryOfAll([envelope, ...results].map(digestOf)))]
  }
  return {
    ...{ resultOf, summaryOfAll, attachedTo },
    ...{ engine, run, signer, predicate, statementOf, envelopeOf, report },
  }
}

test('the envelope is signed over type and bytes, as DSSE says', () => {
  assert.equal(
    preAuthentication('http://example.com/HelloWorld', Buffer.from('hello world')).toString(),
    'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
  )
})

test('signed evidence is taken when the gates have run, and its hash stands in the log', async () => {
  const { run, envelopeOf, statementOf, report } = await atTheGates()
  const envelope = envelopeOf(statementOf())
  await report(envelope)
  assert.equal((await run.stands())[1], 'handing_off')
  const entry = (await run.audit()).find(({ details }) => details.cause === 'gates_ran')
  assert.equal(entry?.details.evidence, digestOf(envelope))
  const page = JSON.parse(await readRunPage(run.owner, run.key))
  assert.equal(page.hasSignedEvidence, true)
})

test('forged evidence is refused, and the run does not move', async () => {
  const { run, signer, predicate, envelopeOf, statementOf, report } = await atTheGates()
  const other = generateKeyPairSync('ed25519').privateKey
  const good = JSON.parse(envelopeOf(statementOf()))
  const changed = Buffer.from(JSON.stringify(statementOf({ demonstration: 'It works.' }))).toString('base64')
  const secondReview: RunEvidence['secondReview'] = {
    ...{ result: 'reviewed', agent: 'codex', model: null, says: null },
    findings: [{ severity: 'low', file: null, line: null, says: 'Fine.' }],
  }
  const cases: [string, string, RegExp][] = [
    ['another key', envelopeOf(statementOf(), other), /not signed with the key of the runner/],
    ['a changed payload', JSON.stringify({ ...good, payload: changed }), /not signed/],
    ['a changed type', JSON.stringify({ ...good, payloadType: 'text/plain' }), /not one of evidence/],
    ['no signature', JSON.stringify({ ...good, signatures: [] }), /not one of evidence/],
    ['no JSON', 'signed, honestly', /not one of evidence/],
    ['another subject', envelopeOf(statementOf({}, 'd'.repeat(40))), /another commit/],
    ['another run', envelopeOf(statementOf({ run: 'run-0000' })), /its run is run-0000/],
    ['another attempt', envelopeOf(statementOf({ attempt: 2 })), /its attempt is 2/],
    ['another base', envelopeOf(statementOf({ base: 'd'.repeat(40) })), /its base is/],
    ['another head', envelopeOf(statementOf({ head: 'd'.repeat(40) }, 'd'.repeat(40))), /its head is/],
    ['another policy', envelopeOf(statementOf({ policyVersion: 99 })), /its policy version is 99/],
    ['another spec', envelopeOf(statementOf({ spec: null })), /its acceptance spec is null/],
    ['another diff', envelopeOf(statementOf({ diff: { ...predicate.diff, sha256: null } })), /its diff is/],
    ['other gates', envelopeOf(statementOf({ gates: [] })), /its gates is none/],
    ['another review', envelopeOf(statementOf({ secondReview })), /its second review is reviewed by codex/],
    [
      'another runner',
      envelopeOf(statementOf({ runner: { id: randomUUID(), key: signer.key } })),
      /its runner is/,
    ],
    [
      'another key in it',
      envelopeOf(statementOf({ runner: { id: signer.runner, key: rawKey(other) } })),
      /names another key/,
    ],
  ]
  const before = await run.stands()
  for (const [what, envelope, message] of cases)
    await assert.rejects(report(envelope), { code: 'invalid_request', message }, what)
  await assert.rejects(report(envelopeOf(statementOf()), null), { message: /no key to sign with/ })
  assert.deepEqual(await run.stands(), before)
})

test('a file that was not brought cannot be named', async () => {
  const { engine, run } = await atTheGates()
  const report = { number: 99, event: { ...gates, envelope: digestOf('never sent') } }
  await assert.rejects(reportWork(engine.service(run.owner.workspaceId), run.order, report, {}), {
    code: 'file_not_found',
  })
})

test('a result per gate and a summary are taken with it, and their hashes stand in the same entry', async () => {
  const { run, signer, envelopeOf, statementOf, attachedTo, report } = await atTheGates()
  const envelope = envelopeOf(statementOf())
  const attached = attachedTo(envelope)
  await report(envelope, signer, attached)
  const entry = (await run.audit()).find(({ details }) => details.cause === 'gates_ran')
  assert.deepEqual(entry?.details.statements, attached.map(digestOf))
})

test('statements that say something else than the evidence are refused, and the run does not move', async () => {
  const { run, signer, envelopeOf, statementOf, attachedTo, resultOf, summaryOfAll, report } =
    await atTheGates()
  const other = generateKeyPairSync('ed25519').privateKey
  const envelope = envelopeOf(statementOf())
  const gate = gates.gates[0]!.name
  const good = attachedTo(envelope)
  const inputs = [envelope, ...good.slice(0, -1)].map(digestOf)
  const sum = good.at(-1)!
  const withSummary = (departures: Partial<SummaryStatement['predicate']>) => [
    ...good.slice(0, -1),
    envelopeOf(summaryOfAll(inputs, departures)),
  ]
  const lenient = JSON.stringify({ ...run.order.policy, deniedPaths: ['nothing'] })
  const elsewhere = resultOf(gate)
  elsewhere.subject = [{ name: 'git+halden/shop', digest: { gitCommit: 'd'.repeat(40) } }]
  const cases: [string, string[], RegExp][] = [
    ['no summary', good.slice(0, -1), /not exactly one summary/],
    ['two summaries', [...good, sum], /not exactly one summary/],
    ['no result', [envelopeOf(summaryOfAll([digestOf(envelope)]))], /is missing/],
    ['another result', [envelopeOf(resultOf(gate, 'FAILED')), sum], /is FAILED/],
    ['a result twice', [good[0]!, good[0]!, sum], /two results/],
    ['a gate that the run has not', [...good, envelopeOf(resultOf('lint'))], /does not have/],
    ['another commit', [envelopeOf(elsewhere), sum], /another commit/],
    ['another key', [envelopeOf(resultOf(gate), other), sum], /not signed with the key/],
    ['the evidence itself', [...good, envelope], /neither the result of a gate nor a summary/],
    [
      'another verdict',
      withSummary({ verificationResult: 'FAILED', verifiedLevels: ['FAILED'] }),
      /says FAILED/,
    ],
    ['a level too many', withSummary({ verifiedLevels: ['SLSA_BUILD_LEVEL_3'] }), /The summary says/],
    ['other inputs', [good[0]!, envelopeOf(summaryOfAll(inputs.slice(1)))], /other statements/],
    ['another verifier', withSummary({ verifier: { id: 'urn:uuid:x', version: {} } }), /is by urn:uuid:x/],
    ['another resource', withSummary({ resourceUri: 'git+halden/other' }), /is about git/],
    [
      'another policy',
      withSummary({
        policy: {
          uri: policyUri('shop', run.order.policy.version),
          digest: { sha256: digestOf(lenient) },
          content: Buffer.from(lenient).toString('base64'),
        },
      }),
      /another deniedPaths/,
    ],
    [
      'a digest of another policy',
      withSummary({
        policy: {
          uri: policyUri('shop', run.order.policy.version),
          digest: { sha256: digestOf('x') },
          content: '',
        },
      }),
      /not what its digest says/,
    ],
  ]
  const before = await run.stands()
  for (const [what, attached, message] of cases)
    await assert.rejects(report(envelope, signer, attached), { code: 'invalid_request', message }, what)
  assert.deepEqual(await run.stands(), before)
})

/** A downloaded file of evidence, as text. */
async function aPack({ isOld = false, says = {} as Partial<RunEvidence> } = {}) {
  const { engine, run, signer, envelopeOf, statementOf, attachedTo, report } = await atTheGates()
  const envelope = envelopeOf(statementOf(says))
  await report(envelope, signer, isOld ? [] : attachedTo(envelope))
  await assert.rejects(packEvidence(run.owner, signing.publicKey, run.key), { code: 'service_unavailable' })
  await sealWorkspace(database.db, signing, engine.clock, run.owner.workspaceId)
  return { engine, run, pack: await packEvidence(run.owner, signing.publicKey, run.key) }
}

test('when the files of a run went with their age, what was signed about it is still there and verifies', async () => {
  for (const isMarked of [true, false]) {
    const { engine, run, pack } = await aPack()
    const { workspaceId } = run.owner
    const count = async () => {
      const text = 'select from kept_files where workspace_id = $1'
      return (await database.pool.query(text, [workspaceId])).rowCount!
    }
    await stopRun(run.owner, run.key, { confirmed: true })
    // As releases left it that removed no files.
    if (!isMarked)
      await database.pool.query('update run_files set stays = false where workspace_id = $1', [workspaceId])
    engine.clock.forward(86_400_000)
    const [before, now] = [await count(), engine.clock.now()]
    const removed = await housekeeping(database.db, 'as retention does', (tx) =>
      removeOldFiles(tx, workspaceId, { before: now, now }),
    )
    assert.ok(removed > 0)
    assert.deepEqual([await count(), before - removed], [1 + pack.statements!.length, await count()])
    const left = await packEvidence(run.owner, signing.publicKey, run.key)
    assert.deepEqual([left.envelope, left.statements], [pack.envelope, pack.statements])
    assert.ok('statement' in verifyPack(JSON.parse(JSON.stringify(left)), signing.publicKey))
  }
})

test('a file of evidence is checked offline, down to the signed log', async () => {
  const { run, pack } = await aPack()
  const checked = verifyPack(JSON.parse(JSON.stringify(pack)), signing.publicKey)
  assert.ok('statement' in checked, JSON.stringify(checked))
  assert.equal(checked.statement.predicate.run, run.key)
  const stranger = generateKeyPairSync('ed25519').publicKey
  assert.ok('findings' in verifyPack(pack, stranger), 'a log that somebody else signed')
})

test('a file from before gates were signed apart stays valid', async () => {
  const { pack } = await aPack({ isOld: true })
  assert.ok(!('statements' in pack))
  const checked = verifyPack(JSON.parse(JSON.stringify(pack)), signing.publicKey)
  assert.ok('statement' in checked, JSON.stringify(checked))
  assert.equal(checked.attached, null)
})

test('a statement that is left out, added or moved is found', async () => {
  const { pack } = await aPack()
  const [result, summary] = pack.statements!
  for (const statements of [
    undefined,
    [summary!],
    [result!],
    [summary!, result!],
    [result!, result!, summary!],
  ]) {
    const { statements: _, ...rest } = pack
    assert.ok('findings' in verifyPack({ ...rest, ...(statements ? { statements } : {}) }, null))
  }
})

test('a changed byte in any part of the file is found', async () => {
  const { pack } = await aPack()
  const text = JSON.stringify(pack)
  let tried = 0
  // Every 17th letter and digit, over the whole length: in keys, in values, in each hash and signature.
  for (let at = 0; at < text.length; at += 17) {
    const letter = text[at]!
    if (!/[A-Za-z0-9]/.test(letter)) continue
    const other = letter === 'b' ? 'c' : letter === '1' ? '2' : /\d/.test(letter) ? '1' : 'b'
    const changed = text.slice(0, at) + other + text.slice(at + 1)
    let value: unknown
    try {
      value = JSON.parse(changed)
    } catch {
      continue
    }
    tried += 1
    const checked = verifyPack(value, null)
    assert.ok(
      'findings' in checked,
      `unnoticed: ${text.slice(at - 30, at)}[${letter}→${other}]${text.slice(at + 1, at + 30)}`,
    )
  }
  assert.ok(tried > 300, `${tried}`)
})

test('parts that are exchanged between two files are found', async () => {
  const [one, two] = [await aPack(), await aPack()]
  for (const part of ['envelope', 'statements', 'runner', 'audit'] as const)
    assert.ok('findings' in verifyPack({ ...one.pack, [part]: two.pack[part] }, null), part)
  for (const part of ['checkpoint', 'entry', 'nodes', 'position', 'workspace'] as const) {
    const audit = { ...one.pack.audit, [part]: part === 'position' ? 0 : two.pack.audit[part] }
    if (JSON.stringify(audit) === JSON.stringify(one.pack.audit)) continue
    assert.ok('findings' in verifyPack({ ...one.pack, audit }, null), part)
  }
  for (const nothing of [null, 1, [], {}, { ...one.pack, more: 1 }])
    assert.ok('findings' in verifyPack(nothing, null))
})

test('verify-evidence says in plain sentences what holds, and fails with the reason', async () => {
  const { run, pack } = await aPack()
  const command = async (value: unknown, key: string | null = pack.audit.key) => {
    const file = path.join(folder, `${randomUUID()}.json`)
    await writeFile(file, JSON.stringify(value, null, 2))
    const main = path.join(import.meta.dirname, '..', '..', '..', 'main.ts')
    return new Promise<{ code: number; out: string }>((resolve) => {
      execFile(
        process.execPath,
        [main, 'verify-evidence', ...(key ? ['--key', key] : []), file],
        (error, out) => resolve({ code: Number(error?.code ?? 0), out }),
      )
    })
  }
  const good = await command(pack)
  assert.equal(good.code, 0, good.out)
  assert.match(good.out, new RegExp(`^Verified: ${run.key}, attempt 1, for ${run.story.key} "Round down"\\.`))
  assert.match(good.out, /Gates: 1 of 1 passed/)
  assert.match(good.out, /test results of 1 gate, and a SLSA verification summary: PASSED \(SIGNALBOX_GATES/)
  assert.match(good.out, /Policy signalbox:policy\/shop\/\d+, sha256 [0-9a-f]{64}/)
  assert.match(good.out, /6 of 6 layers held/)
  assert.match(good.out, /^Cost up to then: 0\.12 USD\.$/m)
  const reported = await aPack({
    isOld: true,
    says: { cost: [{ currency: 'USD', amount: 1, reported: 0.75 }] },
  })
  const marked = await command(reported.pack, reported.pack.audit.key)
  assert.match(
    marked.out,
    /^Cost up to then: 1\.00 USD, of which 0\.75 was reported by the agent, not metered\.$/m,
  )
  const bad = await command({ ...pack, runner: { ...pack.runner, id: randomUUID() } })
  assert.deepEqual([bad.code, /^The statement is by runner/.test(bad.out)], [1, true], bad.out)
})

/** Someone who has no Signalbox but knows how its files are made. */
async function forged(says: Partial<RunEvidence> = {}) {
  const forger = secretsFrom('a key of somebody who makes files up').signing
  const { pack, run } = await aPack({ isOld: true, says })
  const leaf = entryHash(pack.audit.entry)
  const workspaceId = pack.audit.workspace
  const checkpoint = signCheckpoint(
    { workspaceId, size: 1, root: rootOfParts(1, [{ from: 0, to: 1, hash: leaf }])! },
    forger.privateKey,
  )
  const audit = { ...pack.audit, position: 0, nodes: [], checkpoint }
  const key = verifierKey(originOf(workspaceId), forger.publicKey)
  return { run, real: pack, pack: { ...pack, audit: { ...audit, key } } }
}

const commandOf = async (value: unknown, ...options: string[]) => {
  const file = path.join(folder, `${randomUUID()}.json`)
  await writeFile(file, JSON.stringify(value))
  const main = path.join(import.meta.dirname, '..', '..', '..', 'main.ts')
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [main, 'verify-evidence', ...options, file], (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    )
  })
}

test('a file that was made up from nothing is never verified: its signer is unknown, and not the one that is trusted', async () => {
  const { pack, real } = await forged()
  const alone = await commandOf(pack)
  assert.deepEqual([alone.code, alone.err], [3, ''], alone.out)
  assert.match(alone.out, /^Signature valid, signer unknown: /)
  assert.doesNotMatch(alone.out, /verified/i)
  assert.match(alone.out, /verify-audit --print-key/)
  const known = await commandOf(pack, '--key', real.audit.key)
  assert.deepEqual([known.code, /not signed with this key/.test(known.out)], [1, true], known.out)
  const own = await commandOf(real)
  assert.equal(own.code, 3, 'without a key the real one is no better known')
})

test('with the key of another workspace of the same installation a file is not verified', async () => {
  const [one, two] = [await aPack(), await aPack()]
  const { code, out } = await commandOf(one.pack, '--key', two.pack.audit.key)
  assert.deepEqual([code, /^The file is from workspace /.test(out)], [1, true], out)
})

test('what stands in a file neither steers the terminal nor makes lines of its own', async () => {
  const version = '\u001b[2J\u009b1A\u202eok\u200b\nVerified: run-0000, attempt 1.'
  const { pack } = await forged({ agent: { ...goesWell.begun.agent, version } })
  const { out } = await commandOf(pack)
  assert.doesNotMatch(out, /[^\P{Cc}\n]|\p{Bidi_Control}|\u200b/u)
  assert.match(out, /\\u\{1b\}\[2J\\u\{9b\}1A\\u\{202e\}ok\\u\{200b\}\\nVerified/)
  assert.doesNotMatch(out, /^Verified/m)
})

test('a key that is none, and a file that is not there, are mistakes in the call', async () => {
  const { pack } = await aPack()
  for (const options of [['--key', 'nonsense'], ['--key', ''], ['--keys', 'x'], ['another-file']])
    assert.equal((await commandOf(pack, ...options)).code, 2, options.join(' '))
})

test('a run without signed evidence says so', async () => {
  const run = await OneRun.begin(new TestEngine(database.db))
  await assert.rejects(packEvidence(run.owner, signing.publicKey, run.key), {
    code: 'conflict',
    message: /no signed evidence/,
  })
  await assert.rejects(packEvidence(run.owner, signing.publicKey, 'run-none'), { code: 'run_not_found' })
})
