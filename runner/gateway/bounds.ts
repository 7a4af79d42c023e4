import type { Api } from './formats/format.ts'
import { NotAllowed } from './formats/inspect-request.ts'
import type { Tariff } from './prices.ts'

/**
 * Tokens that a provider adds to a request on its own. Anthropic has a table of what it adds where there are tools, and
 * changes it: 804 for Opus 4.7 is the most in it, 530 was before. The others say nothing of theirs.
 */
export const overheadTokens = 1_000

/**
 * Tokens of a tool that the client executes and the provider describes. By Anthropic: bash 245, the text editor 700,
 * the computer 735 and up to 499 more for all of it.
 */
export const describedToolTokens = 2_000

/** Anthropic: one for each 28 by 28 pixels, of a picture that is scaled down until it has no more than these. */
const anthropicPatches = 4_784

/**
 * OpenAI, by model: scaled to fit 2,048 by 2,048 and then to 768 on its shorter side, so that it has at most eight
 * tiles of 512, and the small ones of the 4o family count dearest for each; or in patches of 32 by 32, at most 10,000
 * of them with the detail `original`, each of which counts up to 2.46 times.
 */
const openaiTiles = 2_833 + 8 * 5_667
const openaiPatches = 10_000 * 2.46

/**
 * Google: scaled to fit 3,072 by 3,072 and cut into tiles whose side is two thirds of its shorter one, from 256 to 768
 * pixels: most are in a strip of 3,072 by 384, two by twelve, with 258 for each. From Gemini 3 on it is at most 2,240.
 */
const googleTiles = 2 * 12 * 258
const googleUltraHigh = 2_240

/** Most tokens of a picture, whatever its size; rounded up. */
export const mostPerImage: Record<Api, number> = {
  anthropic: roundedUp(anthropicPatches),
  openai: roundedUp(Math.max(openaiTiles, openaiPatches)),
  google: roundedUp(Math.max(googleTiles, googleUltraHigh)),
}

function roundedUp(tokens: number): number {
  return Math.ceil(tokens / 1_000) * 1_000
}

/**
 * A file is bounded by what its model can read at once, whatever is in it. Not where each of its pages counts as a
 * picture at more than that: how many pages it has is not in the request.
 */
export function refuseUnbounded({ models }: Tariff): void {
  const model = models.find((name) => /gpt-4o-mini/.test(name))
  if (model)
    throw new NotAllowed(
      'model',
      `what a file costs with ${model} has no bound that can be known. Send its text, or name another model.`,
    )
}
