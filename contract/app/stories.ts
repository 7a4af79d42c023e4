import { Type } from 'typebox'
import { decisionKinds, decisionStatuses } from '../decision.ts'
import { decisionKey, requirementSlug, runKey, storyKey, teamSlug } from '../keys.ts'
import { maxMovedTogether, maxSearchLength } from '../limits.ts'
import { LocalHolder, WorkBegun } from '../local-work.ts'
import { cursor, limit, pageOf } from '../page.ts'
import { failureClasses, runStages, runStatuses } from '../run.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { classesOfService, columnRoles, complexities, Story, StoryListed, sizes } from '../story.ts'
import { executor } from '../team.ts'
import { StoryMirror } from './mirror.ts'
import { type Operations, operation } from './operation.ts'

/** What keeps a Ready story from being started: of the team, or of the story itself. */
export const obstacles = [
  'policy',
  'pause',
  'repository',
  'runner',
  'agent',
  'budget',
  'money',
  'slots',
  'runner_slots',
  'draft',
  'readiness',
  'blocked',
  'run',
] as const

export const Obstacle = Type.Object({ by: oneOf(obstacles), reason: Type.String() })
export type Obstacle = Of<typeof Obstacle>

/** Of a story in Ready. Empty: it is started immediately, or is being worked on. */
const heldBy = Type.Array(Obstacle)

/** A story as it lies on the board: with its newest run and what waits for a person. */
export const StoryRow = Type.Object({
  ...StoryListed.properties,
  run: nullable(
    Type.Object({
      key: runKey,
      status: oneOf(runStatuses),
      stage: oneOf(runStages),
      open: Type.Boolean(),
      executor,
      costCents: Type.Integer(),
      createdAt: timestamp,
      local: nullable(LocalHolder),
    }),
  ),
  /** The oldest decision that waits. */
  waiting: nullable(decisionKey),
  /** What that one asks for. */
  waitingFor: nullable(oneOf(decisionKinds)),
  heldBy,
})
export type StoryRow = Of<typeof StoryRow>

export const BoardColumn = Type.Object({
  id: uuid,
  name: Type.String(),
  role: oneOf(columnRoles),
  /** All that match, also those beyond what is sent. */
  total: Type.Integer(),
  stories: Type.Array(StoryRow),
})
export type BoardColumn = Of<typeof BoardColumn>

/** A story with everything its page shows. */
export const StoryPage = Type.Object({
  ...Story.properties,
  teamName: Type.String(),
  demonstrate: nullable(Type.String()),
  /** How it is going to be tested, Markdown. */
  testPlan: nullable(Type.String()),
  /** What the person said who sent it back to Backlog. */
  returnedNote: nullable(Type.String()),
  requirement: nullable(requirementSlug),
  /** Which of its team's repositories it is about; null: all of them. */
  repositories: nullable(Type.Array(Type.String())),
  /** All that the team has, by name. */
  teamRepositories: Type.Array(Type.String()),
  heldBy,
  /** How its issue stands to it; null: it mirrors none that is connected. */
  mirror: nullable(StoryMirror),
  /** What is missing to a readiness of 100. */
  missing: Type.Array(Type.String()),
  runs: Type.Array(
    Type.Object({
      key: runKey,
      status: oneOf(runStatuses),
      stage: oneOf(runStages),
      open: Type.Boolean(),
      attempts: Type.Integer(),
      costCents: Type.Integer(),
      local: nullable(LocalHolder),
      failureClass: nullable(oneOf(failureClasses)),
      createdAt: timestamp,
      completedAt: nullable(timestamp),
    }),
  ),
  decisions: Type.Array(
    Type.Object({
      key: decisionKey,
      kind: oneOf(decisionKinds),
      status: oneOf(decisionStatuses),
      title: Type.String(),
      runKey: nullable(runKey),
      createdAt: timestamp,
      resolvedAt: nullable(timestamp),
    }),
  ),
})
export type StoryPage = Of<typeof StoryPage>

/** The agents that two can be chosen from for a race. */
export const Racers = Type.Object({ agents: Type.Array(executor) })
export type Racers = Of<typeof Racers>

/** In which order a column has its stories, other than that in which they are picked up. */
export const boardSorts = ['updated', 'newest', 'readiness'] as const

/** What a board can be narrowed to, and its order. */
export const boardFilter = {
  drafts: Type.Optional(Type.Boolean()),
  /** Part of a title or of a key. */
  q: Type.Optional(Type.String({ maxLength: maxSearchLength })),
  size: Type.Optional(oneOf(sizes)),
  /** Filed or asked for by the person who looks, or worked on by them on their own machine. */
  mine: Type.Optional(Type.Boolean()),
  sort: Type.Optional(oneOf(boardSorts)),
}
const { sort: _, ...listFilter } = boardFilter

export const reads = {
  'stories.board': operation(Type.Object({ team: teamSlug, ...boardFilter }), Type.Array(BoardColumn)),
  'stories.list': operation(
    Type.Object({
      team: teamSlug,
      ...listFilter,
      limit: Type.Optional(limit),
      cursor: Type.Optional(cursor),
    }),
    pageOf(StoryRow),
  ),
  'stories.read': operation(Type.Object({ key: storyKey }), StoryPage),
  'stories.racers': operation(Type.Object({ key: storyKey }), Racers),
} satisfies Operations

export const writes = {
  /** Takes a Ready story to work on it on one's own machine. */
  'stories.begin': operation(Type.Object({ key: storyKey }, { additionalProperties: false }), WorkBegun),
  /** Gives a story to two agents, one after the other: the better change is proposed. It moves to Ready. */
  'stories.race': operation(
    Type.Object(
      { key: storyKey, agents: Type.Array(executor, { minItems: 2, maxItems: 2 }) },
      { additionalProperties: false },
    ),
    Type.Object({ run: runKey }),
  ),
  'stories.move': operation(
    Type.Object({ key: storyKey, to: oneOf(columnRoles) }, { additionalProperties: false }),
    Type.Object({ from: oneOf(columnRoles), to: oneOf(columnRoles) }),
  ),
  /** Each moves or says why not. */
  'stories.moveMany': operation(
    Type.Object(
      {
        keys: Type.Array(storyKey, { minItems: 1, maxItems: maxMovedTogether }),
        to: oneOf(columnRoles),
      },
      { additionalProperties: false },
    ),
    Type.Object({
      moved: Type.Array(Type.Object({ key: storyKey, from: oneOf(columnRoles) })),
      refused: Type.Array(Type.Object({ key: storyKey, reason: Type.String() })),
    }),
  ),
  /** In Backlog. Of a team with a tracker the issue follows. */
  'stories.create': operation(
    Type.Object(
      {
        team: teamSlug,
        title: Type.String(),
        description: Type.Optional(Type.String()),
        acceptanceCriteria: Type.Optional(Type.Array(Type.String())),
        demonstrate: Type.Optional(nullable(Type.String())),
        size: Type.Optional(nullable(oneOf(sizes))),
        complexity: Type.Optional(nullable(oneOf(complexities))),
        classOfService: Type.Optional(oneOf(classesOfService)),
      },
      { additionalProperties: false },
    ),
    Type.Object({ key: storyKey }),
  ),
  /** Which of its team's repositories it is about; null: all of them. */
  'stories.setRepositories': operation(
    Type.Object(
      {
        key: storyKey,
        repositories: nullable(Type.Array(Type.String({ maxLength: 300 }), { minItems: 1, maxItems: 20 })),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ),
  'stories.edit': operation(
    Type.Object(
      {
        key: storyKey,
        /** The story's updatedAt when it was read: an edit of an older reading is refused. */
        readAt: timestamp,
        title: Type.Optional(Type.String()),
        description: Type.Optional(Type.String()),
        acceptanceCriteria: Type.Optional(Type.Array(Type.String())),
        demonstrate: Type.Optional(nullable(Type.String())),
        testPlan: Type.Optional(nullable(Type.String())),
        size: Type.Optional(nullable(oneOf(sizes))),
        complexity: Type.Optional(nullable(oneOf(complexities))),
        classOfService: Type.Optional(oneOf(classesOfService)),
      },
      { additionalProperties: false },
    ),
    Type.Object({ score: Type.Integer(), missing: Type.Array(Type.String()) }),
  ),
} satisfies Operations
