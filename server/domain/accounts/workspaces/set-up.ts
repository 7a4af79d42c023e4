import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../../../infra/db/db.ts'
import { hashPassword, type Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { changeTogether } from '../../record/audit/change.ts'
import { emailIn, joinPerson } from './add-person.ts'
import { addWorkspace, newWorkspace } from './create.ts'
import { isInstanceInhabited, lockInstance } from './store.ts'

/** Whether this is a fresh installation: no person and no workspace, not even a deleted one. */
export const isSetUpNeeded = async (db: Db): Promise<boolean> => !(await isInstanceInhabited(db))

/**
 * An empty server would belong to the first person who reaches it, so it asks for a code that only its operator can
 * see. The code is the same on every node and after a restart; it opens nothing once there is a person.
 */
export const setUpCode = (secrets: Pick<Secrets, 'derive'>): string =>
  secrets.derive('set-up code', 12).toString('hex')

/** The first person and the first workspace. If two people try at the same time, one comes too late. */
export async function setUp(
  services: Pick<Context, 'db' | 'clock' | 'queue' | 'origin'> & { secrets: Pick<Secrets, 'derive'> },
  given: {
    code: string
    name: string
    email: string
    password: string
    workspace: { name: string; slug: string }
  },
): Promise<{ id: string; email: string; name: string }> {
  const { secrets, ...rest } = services
  if (!(await isSetUpNeeded(services.db))) throw tooLate()
  if (!isSame(given.code, setUpCode(secrets)))
    throw new DomainError('sign_in_failed', 'The code is wrong. The server prints it when it starts.')
  const email = emailIn(given.email)
  const operator = {
    ...rest,
    actor: { type: 'system', name: 'set-up' },
    channel: 'app',
  } as const
  const workspace = newWorkspace(operator, given.workspace)
  const passwordHash = await hashPassword(given.password)
  return changeTogether(operator, async (tx) => {
    await lockInstance(tx)
    if (await isInstanceInhabited(tx)) throw tooLate()
    const ctx = { ...operator, workspaceId: workspace.id }
    const made = await addWorkspace(ctx, tx, workspace)
    const input = { email, name: given.name, role: 'owner', passwordHash, emailVerified: true } as const
    const joined = await joinPerson(ctx, tx, input)
    return {
      value: joined.value,
      audit: [
        { ctx, entry: made.audit },
        { ctx, entry: joined.audit },
      ],
    }
  })
}

const tooLate = () =>
  new DomainError('conflict', 'This server is already set up. Sign in, or ask an owner for an invitation.')

function isSame(given: string, code: string): boolean {
  const [a, b] = [Buffer.from(given.trim()), Buffer.from(code)]
  return a.length === b.length && timingSafeEqual(a, b)
}
