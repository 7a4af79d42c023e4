import { dictionary } from '@signalbox/contract/dictionary.ts'
/** A port or an address that cannot be listened on, with the setting that says so. */
export class CannotListen extends Error {}

interface Settings {
  port: 'PORT' | 'OPERATOR_PORT'
  host: 'HOST' | 'OPERATOR_HOST'
}

export const publicSettings: Settings = { port: 'PORT', host: 'HOST' }
export const operatorSettings: Settings = { port: 'OPERATOR_PORT', host: 'OPERATOR_HOST' }

/** Does what listens. What the operator can mend is told with the name of the setting. */
export async function orNameSetting<T>(
  where: { host: string; port: number },
  settings: Settings,
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const sentence = sentenceOf((error as NodeJS.ErrnoException).code ?? '', where, settings)
    throw sentence ? new CannotListen(sentence, { cause: error }) : error
  }
}

function sentenceOf(code: string, where: { host: string; port: number }, { port, host }: Settings) {
  const sentences = dictionary<string>({
    EADDRINUSE: `${port} ${where.port} is already in use on ${where.host}. Stop the other program, or set ${port} to another port.`,
    EACCES: `This account may not listen on ${port} ${where.port}. Set ${port} to 1024 or higher, or grant the right to use lower ports.`,
    EADDRNOTAVAIL: `${host} ${where.host} is not an address of this machine. Set ${host} to one that is, or to 0.0.0.0.`,
    ENOTFOUND: `${host} ${where.host} cannot be resolved. Set ${host} to an address of this machine.`,
  })
  return sentences[code]
}
