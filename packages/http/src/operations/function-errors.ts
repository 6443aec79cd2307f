/** Error codes of operations that execute a function, beside those of the models that it may use. */
export const functionErrors = [
  'function_failed',
  'function_timeout',
  'function_output_invalid',
  'function_resource_exceeded',
  'executor_unavailable',
  'overloaded',
] as const;

/** The same for chats, whose model can be a function. */
export const functionChatErrors = ['ambiguous_function_name', 'execution_cancelled', ...functionErrors] as const;
