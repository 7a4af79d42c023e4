/** What is inside of the box that a repository's work runs in. No schema here: the app takes these values too. */

/**
 * `tools`: what the runner's machine has installed. `image`: a named image. `devcontainer`: the image that the
 * repository's own `devcontainer.json` names, on the commit that the work begins from.
 */
export const insides = ['tools', 'image', 'devcontainer'] as const

/** Where a repository says so itself, in the order in which they are looked for. */
export const devcontainerFiles = ['.devcontainer/devcontainer.json', '.devcontainer.json'] as const

/** An image by its full name, as every tool understands it alike. */
export interface ImageName {
  /** `docker.io`, `ghcr.io`, `registry.example.com:5000` */
  registry: string
  /** `library/node` */
  path: string
  /** What it is called there at the moment; null where a digest is all there is. */
  tag: string | null
  /** `sha256:…`, which is always the same image; null: whatever the tag means when it is asked for. */
  digest: string | null
}

export const maxImageLength = 400

const host =
  /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::[1-9][0-9]{0,4})?$/
const part = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/
const tagName = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/
const digestOf = /^sha256:[0-9a-f]{64}$/

/**
 * Reads `node:22`, `ghcr.io/acme/ci@sha256:…` and the like; null: it is none. Other ways to name one, such as a folder
 * or an archive, would lead to files of the machine.
 */
export function imageIn(text: string): ImageName | null {
  if (text.length > maxImageLength) return null
  const [named, digest = null, ...more] = text.split('@')
  if (more.length > 0 || (digest !== null && !digestOf.test(digest))) return null
  const parts = named!.split('/')
  // As Docker has it: a first part is a host when it looks like one, and not the name of someone.
  const isHost = parts.length > 1 && (/[.:]/.test(parts[0]!) || parts[0] === 'localhost')
  const registry = isHost ? parts.shift()! : 'docker.io'
  const [last, tag = null, ...rest] = parts.pop()!.split(':')
  const path = [...parts, last!]
  const isSound =
    rest.length === 0 &&
    host.test(registry) &&
    path.every((each) => part.test(each)) &&
    (tag === null || tagName.test(tag))
  if (!isSound) return null
  const isOfficial = registry === 'docker.io' && path.length === 1
  return {
    ...{ registry, path: isOfficial ? `library/${path[0]}` : path.join('/'), digest },
    tag: tag ?? (digest === null ? 'latest' : null),
  }
}

/** What is asked for: a digest says it all. */
export const formatImageName = ({ registry, path, tag, digest }: ImageName): string =>
  `${registry}/${path}${digest === null ? `:${tag}` : `@${digest}`}`
