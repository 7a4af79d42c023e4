import type { Resources } from '@signalbox/contract/manage/configuration.ts'
import type { Secret } from '@signalbox/contract/manage/secret.ts'
import type { ResourceKind } from '@signalbox/contract/resource-kinds.ts'
import type { Context } from '../../context.ts'
import type { Chat } from '../../ports/chat.ts'
import type { GitHost } from '../../ports/git-host.ts'
import type { WebhookSender } from '../../ports/webhook-sender.ts'
import type { Creating } from '../../record/audit/creating.ts'
import type { Connecting } from '../../tools/connections/connect.ts'

/** Names of the file for ids of the workspace, and back. */
export interface Names {
  nameOf(kind: ResourceKind, id: string): string
  idOf(kind: ResourceKind, name: string): string
}

/** What kinds need from outside, as the app has it. */
export interface Tools extends Connecting {
  chat: Chat | null
  gitHost: Pick<GitHost, 'troubleWith'> | null
  sender: Pick<WebhookSender, 'refusalOf'>
  publicUrl: () => string
  signalUrl: () => string
}

/** What a kind works with beside the context. */
export interface World {
  names: Names
  tools: Tools
  /** All that the file says. */
  wanted: Resources
  /**
   * Marks what is created as managed, in the transaction that creates it: where nothing else keeps two from creating the
   * same at the same time, this does, and where something does, the second finds out why.
   */
  mark: Creating
}

/** What a file wants of one resource. */
export interface Asked<Spec> {
  name: string
  /** As it is; undefined: it is not there yet. */
  before: Spec | undefined
  wanted: Spec
}

/** What a description is held against before anything is applied. */
export interface Around {
  tools: Tools
  /** All of a kind as they will be, by name. */
  after(kind: ResourceKind): { name: string; spec: object }[]
}

export interface Found<Spec> {
  id: string
  /** What it is called in a file that has no name for it yet. */
  suggested: string
  /** With every field. */
  spec: Spec
  /** Where senders deliver to it, where they do; null: this one has none. */
  address?: string | null
}

/**
 * One kind of resource: how it is read and written, by the same verbs as in the app. `full` is a description with every
 * field, which is what is compared; `brief` leaves out what goes without saying.
 */
export interface Kind<Spec extends object> {
  list(ctx: Context, names: Names, tools: Tools): Promise<Found<Spec>[]>
  full(given: Spec): Spec
  brief(full: Spec): Spec
  /** What has to be there before it. */
  refers(name: string, spec: Spec): { kind: ResourceKind; name: string }[]
  /** Refuses a new or another description that could not be applied, as far as that can be known before. */
  check?(ctx: Context, asked: Asked<Spec>, around: Around): Promise<void> | void
  /** Whether something that was made in the app is what the file means, whatever name the file has for it. */
  isSame(given: Spec, found: Spec): boolean
  /** The field that holds secrets, which are compared apart and shown nowhere, and whether those given are others. */
  secrets?: {
    field: string
    of(spec: Spec): Secret[]
    differ(ctx: Context, id: string, wanted: Spec, tools: Tools): Promise<boolean>
  }
  /** Gives its id. A sentence: a file cannot create it, and why. */
  create: string | ((ctx: Context, name: string, wanted: Spec, world: World) => Promise<string>)
  change(ctx: Context, id: string, change: { before: Spec; wanted: Spec }, world: World): Promise<void>
  /** Null: it goes with something else, and only stops being managed. */
  remove: ((ctx: Context, id: string, name: string, world: Pick<World, 'tools'>) => Promise<void>) | null
}

/** As those who go through all kinds alike see one. */
export type AnyKind = Kind<object>

/** A loop over all kinds cannot know the types of each. */
export const anyKind = <Spec extends object>(kind: Kind<Spec>): AnyKind => kind as unknown as AnyKind
