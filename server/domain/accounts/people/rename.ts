import { DomainError } from '../../errors.ts'
import { type Recording, recordOfPerson } from './record.ts'
import { updateName } from './store.ts'

/** Gives oneself another name. What is written in the audit log keeps the name of its time. */
export async function renamePerson(services: Recording, personId: string, input: string): Promise<void> {
  const name = input.trim()
  if (!name) throw new DomainError('invalid_request', '`name` is empty.')
  await recordOfPerson(services, { personId, event: 'member_renamed', details: { name } }, (tx) =>
    updateName(tx, personId, name, services.clock.now()),
  )
}
