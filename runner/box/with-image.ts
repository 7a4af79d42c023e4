import type { Box } from './box.ts'
import type { ImageRoot } from './image-root.ts'

/** The same box, with an image inside. Its walls are those that were measured: only what stands between them is other. */
export const withImage = (box: Box, image: ImageRoot): Box => ({
  isolation: { ...box.isolation, image: image.name },
  owner: box.owner,
  start: (command, limits) => box.start(command, { ...limits, image }),
  inside: (file, limits) => box.inside(file, { ...limits, image }),
  gatewayUrl: (gateway) => box.gatewayUrl(gateway),
})
