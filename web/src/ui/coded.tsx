import { keysIn } from './keys-in.ts'

/** A line that someone wrote, with what is in backticks as code. A mark without its pair stays. */
export const Coded = ({ text }: { text: string }) =>
  text.split(/`([^`\n]+)`/).map((part, at) =>
    at % 2 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line never move
      <code key={at} className="rounded bg-hover px-1 font-mono text-[0.9em] break-words">
        {part}
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same
      <Keyed key={at} text={part} />
    ),
  )

/** The same without code: each key stays on one line. */
export const Keyed = ({ text }: { text: string }) =>
  keysIn(text).map((part, at) =>
    at % 2 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line never move
      <span key={at} className="whitespace-nowrap">
        {part}
      </span>
    ) : (
      part
    ),
  )
