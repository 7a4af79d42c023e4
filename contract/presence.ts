/**
 * How the actor has shown that a person is present: by a session in the app, begun with a passkey or otherwise, by a
 * click in the chat tool, which names its member, or by nothing but a token, which a program may hold as well. No
 * schema here: the app takes these values too.
 */
export const presences = ['session', 'passkey', 'chat', 'token'] as const
export type Presence = (typeof presences)[number]

/** What a policy can ask a person for. */
export const personAnswers = ['plan', 'merge', 'exception'] as const
export type PersonAnswer = (typeof personAnswers)[number]
