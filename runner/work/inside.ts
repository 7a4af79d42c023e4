import { devcontainerFiles, type ImageName, imageIn } from '@signalbox/contract/image.ts'
import type { AnyOrder } from '@signalbox/contract/runner/messages.ts'
import { withImage } from '../box/with-image.ts'
import type { Store } from '../git/git.ts'
import { DevcontainerError, readDevcontainer } from '../images/devcontainer.ts'
import { ImageError } from '../images/images.ts'
import { type OrderContext, WorkFailed } from '../orders/order-context.ts'
import type { Workshop } from './workshop.ts'

/**
 * The workshop with what an order wants inside of its box: what the machine has installed, or an image. `commit` is
 * where the repository says so itself, as the runner reads it from git: what an agent writes there has no effect before
 * it is merged. The runner's own git keeps to the machine's programs.
 */
export async function equippedFor(
  shop: Workshop,
  order: Pick<AnyOrder, 'inside'>,
  context: OrderContext,
  { store, commit }: { store: Pick<Store, 'readFile'>; commit: string },
): Promise<Workshop> {
  const { inside } = order
  if (!inside) return shop
  if (!shop.images)
    throw new WorkFailed('This runner can’t use images. Run signalbox-runner doctor to see why.', 'transient')
  try {
    const { image, environment } =
      inside.kind === 'image' ? named(inside.image) : await fromRepository(store, commit, context)
    context.phase('getting the image')
    const root = await shop.images.open(image, { environment, cancelled: context.cancelled })
    context.print(`The work runs in the image ${root.name}.`)
    return { ...shop, box: withImage(shop.box, root) }
  } catch (error) {
    context.cancelled.throwIfAborted()
    if (error instanceof DevcontainerError) throw new WorkFailed(error.message, 'persistent')
    if (error instanceof ImageError)
      throw new WorkFailed(error.message, error.isPassing ? 'transient' : 'persistent')
    throw error
  }
}

interface Wanted {
  image: ImageName
  environment: Record<string, string>
}

function named(text: string): Wanted {
  const image = imageIn(text)
  if (!image) throw new ImageError(`${text} is not an image name.`)
  return { image, environment: {} }
}

const mostOfAFile = 100_000

async function fromRepository(
  store: Pick<Store, 'readFile'>,
  commit: string,
  context: OrderContext,
): Promise<Wanted> {
  for (const file of devcontainerFiles) {
    const bytes = await store.readFile(commit, file)
    if (bytes === null) continue
    if (bytes.length > mostOfAFile) throw new DevcontainerError(`${file} is too large.`)
    const { image, environment, ignored } = readDevcontainer(file, bytes.toString('utf8'))
    if (ignored.length > 0) context.print(`Ignored in ${file}: ${ignored.join(', ')}.`)
    return { image, environment }
  }
  throw new DevcontainerError(
    `There is no ${devcontainerFiles.join(' or ')} on ${commit.slice(0, 12)}. Add one with an \`image\`, or name an image in the team’s settings.`,
  )
}
