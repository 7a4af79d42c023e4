import type { NewIssue, SingleTracker } from '../../domain/ports/single-tracker.ts'

type Issue = Awaited<ReturnType<SingleTracker['createIssue']>>

/** A tracker that is not there: it remembers in memory what a real one would keep. For tests and the demo. */
export class PretendTracker implements SingleTracker {
  /** What was made, by the key of the wish. */
  readonly issues = new Map<string, Issue & Pick<NewIssue, 'title' | 'body'>>()
  readonly comments: { issue: string; key: string; text: string }[] = []
  readonly #numbers = new Map<string, number>()
  #failures = 0

  /** The next calls fail, as they do while a tracker is away. */
  fail(times: number): void {
    this.#failures = times
  }

  async createIssue(input: NewIssue): Promise<Issue> {
    this.#failIfDue()
    const made = this.issues.get(input.key)
    if (made) return issueOf(made)
    const project = input.team.toUpperCase().replace(/[^A-Z0-9]/g, '')
    const number = (this.#numbers.get(project) ?? 0) + 1
    this.#numbers.set(project, number)
    const key = `${project}-${number}`
    const issue = { platform: 'pretend', key, url: `https://tracker.example.com/issues/${key}` }
    this.issues.set(input.key, { ...issue, title: input.title, body: input.body })
    return issue
  }

  async comment(issue: Issue, comment: { key: string; text: string }): Promise<void> {
    this.#failIfDue()
    if (this.comments.some(({ key }) => key === comment.key)) return
    this.comments.push({ issue: issue.key, ...comment })
  }

  #failIfDue(): void {
    if (this.#failures === 0) return
    this.#failures -= 1
    throw new Error('tracker.example.com is not responding. We’ll keep trying.')
  }
}

const issueOf = ({ platform, key, url }: Issue): Issue => ({ platform, key, url })
