import type { ArithmeticExpression } from 'unbash';
import type { Page, Spot } from './page.ts';

/** Writes arithmetic sign by sign. Its brackets are nodes, so that none is needed that was not there. */
export function printArithmetic(page: Page, expression: ArithmeticExpression | undefined, whole: Spot): void {
  if (expression) page.part(expression, () => print(page, expression, whole));
  else if (!/^\W*$/.test(page.written(whole))) page.refuse(whole);
}

function print(page: Page, expression: ArithmeticExpression, whole: Spot): void {
  switch (expression.type) {
    case 'ArithmeticWord':
      page.word({ ...spotOf(expression), text: expression.value, parts: expression.parts }, 'subscript');
      return;
    case 'ArithmeticCommandExpansion':
      if (!expression.script) {
        page.refuse(expression, 'too-deep');
        return;
      }
      page.add('$(');
      page.script(expression.script);
      page.bracket(')');
      return;
    case 'ArithmeticGroup':
      page.add('( ');
      printArithmetic(page, expression.expression, whole);
      page.add(' )');
      return;
    case 'ArithmeticUnary':
      // `- -x` is not `--x`.
      if (expression.prefix) page.add(`${expression.operator} `);
      printArithmetic(page, expression.operand, whole);
      if (!expression.prefix) page.add(expression.operator);
      return;
    case 'ArithmeticBinary':
      printArithmetic(page, expression.left, whole);
      page.add(expression.operator === ',' ? ', ' : ` ${expression.operator} `);
      printArithmetic(page, expression.right, whole);
      return;
    case 'ArithmeticTernary':
      printArithmetic(page, expression.test, whole);
      page.add(' ? ');
      printArithmetic(page, expression.consequent, whole);
      page.add(' : ');
      printArithmetic(page, expression.alternate, whole);
      return;
  }
}

function spotOf({ pos, end }: Spot): Spot {
  return { pos, end };
}
