/** One line for an operator, from any thrown value. */
export function errorMessage(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { message, code, errors } = error as { message?: unknown; code?: unknown; errors?: unknown };
  if (typeof message === 'string' && message !== '') return message;
  // A refused connection to a host with two addresses is an AggregateError without a message.
  if (Array.isArray(errors) && errors.length > 0) return errorMessage(errors[0]);
  return typeof code === 'string' ? code : 'an error without a message';
}
