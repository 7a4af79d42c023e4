const hmac = 'openssl dgst -sha256 -hmac "$SECRET" | sed \'s/^.* //\''

/** A command that sends $BODY, with these additional options. */
export const send = (...more: string[]): string =>
  ['curl -i -X POST "$URL" -H "Content-Type: application/json"', ...more, '--data-raw "$BODY"'].join(
    ' \\\n  ',
  )

/** The same command with one more header. */
export const withHeader = (command: string, header: string): string =>
  command.replace('--data-raw', `-H "${header}" \\\n  --data-raw`)

/** With a signature of the body in a header. */
export const signed = (header: string, ...more: string[]): string[] => [
  `SIGNATURE=$(printf '%s' "$BODY" | ${hmac})`,
  send(`-H "${header}$SIGNATURE"`, ...more),
]

/** With the time in front of what is signed. */
export const timed = (time: string, separator: string, header: string): string[] => [
  'NOW=$(date +%s)',
  `SIGNATURE=$(printf '%s${separator}%s' "$NOW" "$BODY" | ${hmac})`,
  send(`-H "${time}: $NOW"`, `-H "${header}$SIGNATURE"`),
]
