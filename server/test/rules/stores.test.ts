import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'

const domain = path.join(import.meta.dirname, '..', '..', 'domain')

const files = (await readdir(domain, { recursive: true }))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .toSorted()
const sources = await Promise.all(
  files.map(async (file) => ({ file, text: await readFile(path.join(domain, file), 'utf8') })),
)
const stores = sources.filter(({ file }) => /(^|-)store\.ts$/.test(path.basename(file)))

/**
 * Functions of stores that take no workspace, and whose names say why: they are about all workspaces, or all people, at
 * once; they find what they read by something else; they belong to a person or to the instance.
 */
const withoutWorkspace = [
  'accounts/invitations/store.ts lockByCode',
  'accounts/invitations/store.ts selectByCode',
  'accounts/notifications/person-store.ts selectBrowserByNotification',
  'accounts/people/store.ts countAttemptByKey',
  'accounts/people/store.ts deleteAttemptsByKey',
  'accounts/people/store.ts deleteExpiredOfAllPeople',
  'accounts/people/store.ts deleteFollowUpById',
  'accounts/people/store.ts deleteSessionByDigest',
  'accounts/people/store.ts hasDueFollowUpsOfAllPeople',
  'accounts/people/store.ts isThroughProviderByDeviceCode',
  'accounts/people/store.ts selectPersonBy',
  'accounts/people/store.ts selectSessionByDigest',
  'accounts/people/store.ts selectTwoFactorsOfAllPeople',
  'accounts/people/store.ts takeFollowUpsOfAllPeople',
  'accounts/people/store.ts uncountAttemptByKey',
  'accounts/people/store.ts updateMethodByDigest',
  'accounts/people/store.ts updateTwoFactorOfAllPeople',
  'accounts/provisioning/store.ts selectProvisionerByDigest',
  'accounts/tokens/store.ts findHolderByDigest',
  'accounts/tokens/store.ts noteUsesOfAllWorkspaces',
  'accounts/tokens/store.ts selectExpiringOfAllWorkspaces',
  'accounts/workspaces/store.ts insertPasswordOfPerson',
  'accounts/workspaces/store.ts insertPerson',
  'accounts/workspaces/store.ts isInstanceInhabited',
  'accounts/workspaces/store.ts isOwnerOfFirstWorkspace',
  'accounts/workspaces/store.ts lockInstance',
  'accounts/workspaces/store.ts selectFirstWorkspaceOfInstance',
  'accounts/workspaces/store.ts selectPersonByEmail',
  'accounts/workspaces/store.ts selectWorkspaceBySlug',
  'engine/lifecycle/decision-store.ts selectExpiredOfAllWorkspaces',
  'engine/lifecycle/team-store.ts selectRedTeamsOfAllWorkspaces',
  'engine/machine/run-store.ts takePullRequestLooksOfAllWorkspaces',
  'engine/orders/claim-store.ts selectOffersOfAllWorkspaces',
  'engine/orders/queue-store.ts markStuckOfAllWorkspaces',
  'engine/orders/queue-store.ts noteSweepOfAllWorkspaces',
  'engine/orders/queue-store.ts selectOverdueOfAllWorkspaces',
  'engine/orders/queue-store.ts selectTeamsWithWorkOfAllWorkspaces',
  'engine/runners/store.ts markSilentLeftOfAllWorkspaces',
  'engine/runners/store.ts noteSignsOfAllWorkspaces',
  'engine/runners/store.ts removeUnseenOfAllWorkspaces',
  'engine/runners/store.ts selectBySession',
  'engine/suggestions/store.ts selectAnsweredOfAllWorkspaces',
  'engine/surveys/survey-store.ts selectLocalMainsOfAllWorkspaces',
  'engine/surveys/survey-store.ts selectScheduledOfAllWorkspaces',
  'installation/backups/store.ts deleteOlderOfAllWorkspaces',
  'installation/backups/store.ts insertBackupOfAllWorkspaces',
  'installation/backups/store.ts selectAllWorkspaces',
  'installation/backups/store.ts selectLastGoodOfAllWorkspaces',
  'installation/backups/store.ts selectLastScheduledOfAllWorkspaces',
  'installation/backups/store.ts selectLastTriedOfAllWorkspaces',
  'installation/backups/store.ts updateFailedOfAllWorkspaces',
  'installation/backups/store.ts updateMadeOfAllWorkspaces',
  'installation/erasure/person-store.ts eraseNamesByWorkspaces',
  'installation/erasure/person-store.ts selectErasedOfAllPeople',
  'installation/erasure/person-store.ts selectUnerasedByIds',
  'installation/key-rotation/store.ts countResealedOfInstance',
  'installation/key-rotation/store.ts finishRotationOfInstance',
  'installation/key-rotation/store.ts isKeyMissingOnNode',
  'installation/key-rotation/store.ts isOtherKeyUsedOnNode',
  'installation/key-rotation/store.ts lockKeyOfInstance',
  'installation/key-rotation/store.ts selectAllWorkspaces',
  'installation/key-rotation/store.ts selectRotationOfInstance',
  'installation/key-rotation/store.ts startRotationOfInstance',
  'installation/key-rotation/store.ts updatePushSeedOfInstance',
  'installation/restores/store.ts deleteSessionsOfAllPeople',
  'installation/restores/store.ts outdateOrdersOfAllWorkspaces',
  'installation/restores/store.ts selectAllWorkspaces',
  'installation/restores/store.ts skipKeysOfAllWorkspaces',
  'installation/restores/store.ts skipRunnerSessionsOfAllWorkspaces',
  'installation/restores/store.ts skipSequencesOfAllWorkspaces',
  'installation/restores/store.ts skipStoryNumbersOfAllWorkspaces',
  'installation/retention/store.ts selectAllWorkspaces',
  'installation/system/store.ts selectConnectionsOfAllWorkspaces',
  'installation/system/store.ts selectDatabaseOfInstance',
  'installation/system/store.ts selectDatabaseSizeOfInstance',
  'installation/system/store.ts selectHookQueueOfAllWorkspaces',
  'installation/system/store.ts selectIntakeOfAllWorkspaces',
  'installation/system/store.ts selectMigrationOfInstance',
  'installation/system/store.ts selectNodesOfInstance',
  'installation/system/store.ts selectOrdersOfAllWorkspaces',
  'installation/system/store.ts selectOutboxOfAllWorkspaces',
  'installation/system/store.ts selectReplicasOfInstance',
  'installation/system/store.ts selectRunnersOfAllWorkspaces',
  'installation/system/store.ts selectStuckRunsOfAllWorkspaces',
  'installation/system/store.ts selectUnsealedOfAllWorkspaces',
  'installation/system/store.ts selectWaitingRunsOfAllWorkspaces',
  'installation/system/store.ts selectWebhookQueueOfAllWorkspaces',
  'installation/system/store.ts selectWebhooksOfAllWorkspaces',
  'on-call/signals/store.ts deleteOldKeysOfAllWorkspaces',
  'on-call/signals/store.ts makeMonthsOfAllWorkspaces',
  'on-call/signals/store.ts selectWaitingWorkspaces',
  'on-call/signals/store.ts upsertRefusalsOfAllWorkspaces',
  'on-call/sources/store.ts lockSealedOfAllWorkspaces',
  'on-call/sources/store.ts selectByToken',
  'on-call/sources/store.ts selectSecretsOfAllWorkspaces',
  'on-call/sources/store.ts updateSecretsOfAllWorkspaces',
  'on-call/uptime/store.ts hasDueChecksOfAllWorkspaces',
  'on-call/uptime/store.ts takeDueChecksOfAllWorkspaces',
  'practice/project/store.ts leaseProjectsOfAllWorkspaces',
  'practice/project/store.ts releaseProjectsOfAllWorkspaces',
  'practice/project/store.ts selectFoldersInUseOfAllWorkspaces',
  'reach/mirror/store.ts selectDueOfAllWorkspaces',
  'record/anchors/store.ts selectAnchorsOfInstance',
  'record/anchors/store.ts selectNewOfAllWorkspaces',
  'record/anchors/store.ts upsertFailureOfInstance',
  'record/anchors/store.ts upsertSentOfInstance',
  'record/audit/store.ts deleteNewsOfAllWorkspaces',
  'record/audit/store.ts insertMessagesOfAllWorkspaces',
  'record/audit/store.ts insertPersonalOfAllWorkspaces',
  'record/audit/store.ts selectNewsOfAllWorkspaces',
  'record/audit/store.ts selectSnapshotOfAllWorkspaces',
  'record/idempotency/store.ts deleteOlderOfAllWorkspaces',
  'record/months/store.ts dropMonthOfAllWorkspaces',
  'record/months/store.ts selectAllWorkspaces',
  'record/months/store.ts selectMonthsOfInstance',
  'record/outbox/store.ts selectDueOfAllWorkspaces',
  'record/outbox/store.ts selectOrphanedOfAllWorkspaces',
  'record/outbox/store.ts withdrawKindsOfAllWorkspaces',
  'record/seals/store.ts isServedInAllWorkspaces',
  'record/seals/store.ts newestNotesOfAllWorkspaces',
  'record/seals/store.ts workspaceIds',
  'record/seals/store.ts workspacesToSeal',
  'record/streams/store.ts leaseStreamOfInstance',
  'record/streams/store.ts releaseStreamOfInstance',
  'record/streams/store.ts selectLagOfAllWorkspaces',
  'record/streams/store.ts selectWaitingOfAllWorkspaces',
  'record/streams/store.ts updateFailureOfInstance',
  'record/streams/store.ts updateSentOfInstance',
  'tools/connections/apps/store.ts lockSealedOfAllWorkspaces',
  'tools/connections/apps/store.ts updateSealedOfAllWorkspaces',
  'tools/connections/store.ts lockSealedOfAllWorkspaces',
  'tools/connections/store.ts selectConnectionByDigest',
  'tools/connections/store.ts selectDueDeliveriesOfAllWorkspaces',
  'tools/connections/store.ts selectSocketConnectionsOfAllWorkspaces',
  'tools/connections/store.ts takeHookLookOfAllWorkspaces',
  'tools/connections/store.ts updateSealedOfAllWorkspaces',
  'tools/webhooks/store.ts lockSealedOfAllWorkspaces',
  'tools/webhooks/store.ts releaseQueuesOfAllWorkspaces',
  'tools/webhooks/store.ts selectFailingOfAllWorkspaces',
  'tools/webhooks/store.ts selectQueuesOfAllWorkspaces',
  'tools/webhooks/store.ts takeQueuesOfAllWorkspaces',
  'tools/webhooks/store.ts updateSealedOfAllWorkspaces',
  'tools/webhooks/store.ts writeOutcomesOfAllWorkspaces',
  'work/night-report/store.ts selectDueOfAllWorkspaces',
  'work/night-report/store.ts selectHoursOfAllPeople',
  'work/teams/store.ts foldCountsOfAllWorkspaces',
  'work/teams/store.ts pauseUnpausedOfAllWorkspaces',
]

/** Every function of a store that takes a handle, with the name of what it takes next, and what follows. */
const functions = stores.flatMap(({ file, text }) =>
  [
    ...text.matchAll(
      /^(?:export )?(?:async function (\w+)|const (\w+) = (?:async )?)\(\s*(?:db|tx): [^,)]+,?\s*(\w*)(.*?)\n(?:\}\n|\n)/gms,
    ),
  ].map(([, declared, assigned, next, rest]) => ({ file, name: declared ?? assigned!, next, rest: rest! })),
)

/** Every query, with what it takes first. That its text asks for what it takes is held when it is declared. */
const queries = stores.flatMap(({ file, text }) =>
  [
    ...text.matchAll(
      /^(?:export )?const (\w+) =\s+(?:reads|readsApart|readsSlowly|writes)\.\w+<.*?>\((?=\)\(|\s*'([^']*)')/gms,
    ),
  ].map(([, name, takes = '']) => ({ file, name: name!, next: takes.split(', ')[0]! })),
)

test('a function of a store takes the workspace right after the handle, or its name says why not', () => {
  // People are in no workspace, or in several: theirs is the place of the workspace.
  const ofPeople = [
    'accounts/people/store.ts',
    'accounts/notifications/person-store.ts',
    'installation/erasure/person-store.ts',
  ]
  const first = (file: string) => (ofPeople.includes(file) ? 'personId' : 'workspaceId')
  const others = [...functions, ...queries]
    .filter(({ file, next }) => next !== first(file))
    .map(({ file, name }) => `${file} ${name}`)
  assert.deepEqual(others.toSorted(), withoutWorkspace)
})

test('every query is one of those', () => {
  const declared = stores.flatMap(
    ({ text }) => text.match(/\b(reads|readsApart|readsSlowly|writes)\.\w+</g) ?? [],
  )
  assert.ok(queries.length > 300)
  assert.equal(queries.length, declared.length)
})

test('and its SQL asks for it', () => {
  assert.deepEqual(
    functions.filter(({ next, rest }) => next === 'workspaceId' && !/\bworkspaceId\b/.test(rest)),
    [],
  )
  const breaches: string[] = []
  const given =
    /\b(?:read|readApart|write|affected|readSlowly)\(\s*(?:\w+|pipelined\(tx\)),\s*(\w+),\s*(?:\w+\.only\()?\{[^}]*?\bworkspaceId\b/g
  for (const { file, text } of stores) {
    const declared = (name: string): string =>
      (new RegExp(`^const ${name} = .*?\\n(?=\\n|const )`, 'ms').exec(text)?.[0] ?? '').replaceAll(
        /\$\{(\w+)\}/g,
        (_, part: string) => declared(part),
      )
    for (const [, name] of text.matchAll(given))
      if (/^(?!.*:workspaceId\b).+/s.test(declared(name!))) breaches.push(`${file} ${name}`)
  }
  assert.deepEqual(breaches, [])
})

test('SQL is statements: no builder, no tag, and no text past them', () => {
  const others =
    /\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(|\bsql`|\brunText\(|from 'kysely/
  assert.deepEqual(
    sources.filter(({ text }) => others.test(text)).map(({ file }) => file),
    [],
  )
})

/** Who talks to PostgreSQL past the register, and of what: never of a table of ours. */
const pastStatements: Record<string, string> = {
  'app/on-one-node.ts': 'a lock of the session',
  'app/storage.ts': 'roles, before there is a schema',
  'infra/cluster.ts': 'what the session listens to',
  'infra/jobs/queue.ts': 'the tables of the job queue, by its library',
}

test('outside of what connects, migrates and backs up, SQL is in the register, where each statement is prepared', async () => {
  const server = path.join(domain, '..')
  const found: string[] = []
  for (const file of (await readdir(server, { recursive: true })).toSorted()) {
    if (
      !file.endsWith('.ts') ||
      /\.test\.ts$|(^|\/)test\/|^infra\/(db|backup)\/|^domain\/|node_modules/.test(file)
    )
      continue
    if (/\.query(<[^(]*>)?\(/.test(await readFile(path.join(server, file), 'utf8'))) found.push(file)
  }
  assert.deepEqual(found, Object.keys(pastStatements))
})

test('a context comes first, its transaction second', () => {
  const breaches = sources
    .filter(({ text }) => /\btx: Tx,\s*(ctx|services): /.test(text))
    .map(({ file }) => file)
  assert.deepEqual(breaches, [])
})
