/**
 * The text of each program that is put into boxes, by its path below `runner/`. Null where they lie on the disk as files;
 * `runner/bundle.ts` writes them in, so that the runner is one file.
 */
export const texts: Readonly<Record<OwnProgram, string>> | null = null

export const ownPrograms = [
  'agents/inside/ask-server.mjs',
  'agents/inside/player.mjs',
  'box/forward.mjs',
  'git/inside/tree.mjs',
] as const
export type OwnProgram = (typeof ownPrograms)[number]
