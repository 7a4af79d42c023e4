/** `npm run build`: what has changed since the last time, in one process, because most of a build of nothing is starting it. */
await Promise.all([
  import('../server/build.ts'),
  import('../web/build.ts'),
  import('../web/manual/build.ts'),
  import('../runner/build.ts'),
])
