import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'

const domain = path.join(import.meta.dirname, '..', 'domain')

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
  'audit/store.ts deleteNewsOfAllWorkspaces',
  'audit/store.ts insertMessagesOfAllWorkspaces',
  'audit/store.ts selectNewsOfAllWorkspaces',
  'audit/store.ts selectSnapshotOfAllWorkspaces',
  'connections/store.ts deleteOldDeliveriesOfAllWorkspaces',
  'connections/store.ts selectConnectionByDigest',
  'connections/store.ts selectDueDeliveriesOfAllWorkspaces',
  'connections/store.ts selectSocketConnectionsOfAllWorkspaces',
  'connections/store.ts takeHookLookOfAllWorkspaces',
  'engine/claim-store.ts selectOffersOfAllWorkspaces',
  'engine/decision-store.ts selectExpiredOfAllWorkspaces',
  'engine/queue-store.ts markStuckOfAllWorkspaces',
  'engine/queue-store.ts noteSweepOfAllWorkspaces',
  'engine/queue-store.ts selectOverdueOfAllWorkspaces',
  'engine/queue-store.ts selectTeamsWithWorkOfAllWorkspaces',
  'engine/run-store.ts takePullRequestLooksOfAllWorkspaces',
  'engine/survey-store.ts selectScheduledOfAllWorkspaces',
  'engine/team-store.ts selectRedTeamsOfAllWorkspaces',
  'idempotency/store.ts deleteOlderOfAllWorkspaces',
  'invitations/store.ts lockByCode',
  'invitations/store.ts selectByCode',
  'mirror/store.ts selectDueOfAllWorkspaces',
  'notifications/person-store.ts selectBrowserByNotification',
  'outbox/store.ts selectDueOfAllWorkspaces',
  'outbox/store.ts selectOrphanedOfAllWorkspaces',
  'people/store.ts countAttemptByKey',
  'people/store.ts deleteAttemptsByKey',
  'people/store.ts deleteExpiredOfAllPeople',
  'people/store.ts deleteFollowUpById',
  'people/store.ts hasDueFollowUpsOfAllPeople',
  'people/store.ts selectPersonBy',
  'people/store.ts selectSessionByDigest',
  'people/store.ts takeFollowUpsOfAllPeople',
  'people/store.ts uncountAttemptByKey',
  'people/store.ts updateMethodByDigest',
  'runners/store.ts noteSignsOfAllWorkspaces',
  'runners/store.ts removeUnseenOfAllWorkspaces',
  'runners/store.ts selectBySession',
  'seals/store.ts newestNotesOfAllWorkspaces',
  'seals/store.ts workspaceIds',
  'seals/store.ts workspacesToSeal',
  'signals/store.ts deleteOldKeysOfAllWorkspaces',
  'signals/store.ts makeMonthsOfAllWorkspaces',
  'signals/store.ts selectWaitingWorkspaces',
  'signals/store.ts upsertRefusalsOfAllWorkspaces',
  'sources/store.ts selectByToken',
  'sources/store.ts selectSecretsOfAllWorkspaces',
  'sources/store.ts updateSecretsOfAllWorkspaces',
  'tokens/store.ts findHolderByDigest',
  'tokens/store.ts noteUsesOfAllWorkspaces',
  'tokens/store.ts selectExpiringOfAllWorkspaces',
  'uptime/store.ts hasDueChecksOfAllWorkspaces',
  'uptime/store.ts takeDueChecksOfAllWorkspaces',
  'webhooks/store.ts deleteOldOfAllWorkspaces',
  'webhooks/store.ts releaseQueuesOfAllWorkspaces',
  'webhooks/store.ts selectFailingOfAllWorkspaces',
  'webhooks/store.ts selectQueuesOfAllWorkspaces',
  'webhooks/store.ts takeQueuesOfAllWorkspaces',
  'webhooks/store.ts writeOutcomesOfAllWorkspaces',
  'workspaces/store.ts insertPasswordOfPerson',
  'workspaces/store.ts insertPerson',
  'workspaces/store.ts isInstanceInhabited',
  'workspaces/store.ts lockInstance',
  'workspaces/store.ts selectPersonByEmail',
  'workspaces/store.ts selectWorkspaceBySlug',
]

/** Every function of a store that takes a handle, with the name of what it takes next, and what follows. */
const functions = stores.flatMap(({ file, text }) =>
  [
    ...text.matchAll(
      /^(?:export )?(?:async function (\w+)|const (\w+) = (?:async )?)\(\s*(?:db|tx): [^,)]+,?\s*(\w*)(.*?)\n(?:\}\n|\n)/gms,
    ),
  ].map(([, declared, assigned, next, rest]) => ({ file, name: declared ?? assigned!, next, rest: rest! })),
)

test('a function of a store takes the workspace right after the handle, or its name says why not', () => {
  // People are in no workspace, or in several: theirs is the place of the workspace.
  const ofPeople = ['people/store.ts', 'notifications/person-store.ts']
  const first = (file: string) => (ofPeople.includes(file) ? 'personId' : 'workspaceId')
  const others = functions
    .filter(({ file, next }) => next !== first(file))
    .map(({ file, name }) => `${file} ${name}`)
  assert.deepEqual(others.toSorted(), withoutWorkspace)
})

test('and its SQL asks for it', () => {
  assert.deepEqual(
    functions.filter(({ next, rest }) => next === 'workspaceId' && !/\bworkspaceId\b/.test(rest)),
    [],
  )
  const breaches: string[] = []
  for (const { file, text } of stores) {
    const declared = (name: string): string =>
      (new RegExp(`^const ${name} = .*?\\n(?=\\n|const )`, 'ms').exec(text)?.[0] ?? '').replaceAll(
        /\$\{(\w+)\}/g,
        (_, part: string) => declared(part),
      )
    for (const [, name] of text.matchAll(/\b(?:read|write)\(\w+, (\w+), \{\s*workspaceId\b/g))
      if (/^(?!.*:workspaceId\b).+/s.test(declared(name!))) breaches.push(`${file} ${name}`)
  }
  assert.deepEqual(breaches, [])
})

test('a store reads by named statements and writes by SQL templates', () => {
  const builder = /\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(/
  const slow = /readSlowly(<[^`]*?>)?\(\s*\w+,\s*sql(<[^`]*?>)?`/g
  const read = /\bsql(<[^`]*?>)?`\s*select\b/
  const breaches = sources
    .filter(({ text }) => builder.test(text) || read.test(text.replaceAll(slow, '')))
    .map(({ file }) => file)
  assert.deepEqual(breaches, [])
})

test('a context comes first, its transaction second', () => {
  const breaches = sources
    .filter(({ text }) => /\btx: Tx,\s*(ctx|services): /.test(text))
    .map(({ file }) => file)
  assert.deepEqual(breaches, [])
})
