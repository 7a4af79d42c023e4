import ReactMarkdown, { type Components } from 'react-markdown'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'

const schema = {
  ...defaultSchema,
  protocols: { href: ['http', 'https', 'mailto'] },
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => name !== 'img'),
}

const parts: Components = {
  // Headings inside a text stay below those of the screen.
  h1: (props) => <h3 dir="auto" {...bare(props)} className="mt-4 mb-1 font-semibold" />,
  h2: (props) => <h3 dir="auto" {...bare(props)} className="mt-4 mb-1 font-semibold" />,
  h3: (props) => <h4 dir="auto" {...bare(props)} className="mt-3 mb-1 font-semibold" />,
  p: (props) => <p dir="auto" {...bare(props)} className="my-2 leading-relaxed" />,
  ul: (props) => <ul {...bare(props)} className="my-2 list-disc pl-5" />,
  ol: (props) => <ol {...bare(props)} className="my-2 list-decimal pl-5" />,
  li: (props) => <li dir="auto" {...bare(props)} className="my-1 leading-relaxed" />,
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
      {children}
    </a>
  ),
  code: (props) => (
    <code {...bare(props)} className="rounded bg-hover px-1 py-0.5 font-mono text-[0.9em] break-words" />
  ),
  pre: (props) => (
    <pre
      dir="ltr"
      {...bare(props)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="my-2 overflow-x-auto rounded-md border bg-bg p-3 text-xs [&_code]:bg-transparent [&_code]:p-0"
    />
  ),
  blockquote: (props) => (
    <blockquote dir="auto" {...bare(props)} className="my-2 border-l-2 pl-3 text-muted" />
  ),
  table: (props) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="my-2 overflow-x-auto" tabIndex={0} aria-label="Table">
      <table
        {...bare(props)}
        className="border-collapse text-sm [&_td]:border [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:px-2 [&_th]:py-1"
      />
    </section>
  ),
  // A picture from elsewhere would tell its sender who looked.
  img: ({ alt }) => <span className="text-muted">[image: {alt}]</span>,
  input: ({ checked }) => (
    <input type="checkbox" checked={checked ?? false} readOnly aria-label="done" className="mr-1" />
  ),
}

const bare = <P extends { node?: unknown }>({ node: _, ...props }: P) => props

export default function Rendered({ text }: { text: string }) {
  return (
    <div className="text-sm break-words [&>*:first-child]:mt-0 [&>*:last-child]:mb-0">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[[rehypeSanitize, schema]]}
        components={parts}
        skipHtml
      >
        {text}
      </ReactMarkdown>
    </div>
  )
}
