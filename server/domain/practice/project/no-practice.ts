import { DomainError } from '../../errors.ts'

export const noPractice = () => new DomainError('not_found', 'This workspace has no practice project.')
