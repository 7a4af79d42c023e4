import type { FastifyInstance } from 'fastify'
import { serveAuth } from './auth.ts'
import { serveWelcome, type WelcomeServices } from './welcome.ts'

/** How people come in: what they meet before they are signed in, and the signing in itself. */
export async function signInFace(app: FastifyInstance, services: WelcomeServices): Promise<void> {
  serveWelcome(app, services)
  serveAuth(app, services)
}
