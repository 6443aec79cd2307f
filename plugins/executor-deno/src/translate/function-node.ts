import type { ArrowFunctionExpression, Expression, Function as FunctionSyntax } from 'oxc-parser';

/** A function with a body, in any of its forms. */
export type FunctionNode = FunctionSyntax | ArrowFunctionExpression;

/** The function that an expression is, if it is one. Types around it change nothing. */
export function functionOf(expression: Expression | null | undefined): FunctionNode | undefined {
  if (expression === null || expression === undefined) return undefined;
  switch (expression.type) {
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return expression;
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSTypeAssertion':
    case 'TSNonNullExpression':
      return functionOf(expression.expression);
    default:
      return undefined;
  }
}
