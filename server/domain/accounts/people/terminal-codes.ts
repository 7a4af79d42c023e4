import type { Db, Tx } from '../../../infra/db/db.ts'
import { sessionDigest } from './find-session.ts'
import { isThroughProviderByDeviceCode, markCodeThroughProvider } from './store.ts'

/** A terminal is as good as the session that confirms its code: whether the identity provider made that is noted. */
export const noteThroughProvider = (tx: Tx, personId: string, userCode: string): Promise<undefined> =>
  // As it is stored, however it was typed.
  markCodeThroughProvider(tx, personId, userCode.replaceAll(/[^0-9a-z]/gi, '').toUpperCase())

/** Whether it did, by what the terminal asks with. */
export const isThroughProvider = (db: Db, deviceCode: string): Promise<boolean> =>
  isThroughProviderByDeviceCode(db, sessionDigest(deviceCode))
