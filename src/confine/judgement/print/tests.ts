import type { TestExpression } from 'unbash';
import type { Page } from './page.ts';
import { constant } from './quote.ts';

/** Writes what stands between `[[` and `]]`. */
export function printTest(page: Page, test: TestExpression): void {
  page.part(test, print);
}

function print(page: Page, test: TestExpression): void {
  switch (test.type) {
    case 'TestUnary':
      // `[[ -f ]]` is a test of a word that is not empty.
      if (test.operand.text === '') {
        page.add(`-n ${constant(test.operator)}`);
        return;
      }
      page.add(`${test.operator} `);
      page.word(test.operand, 'word');
      return;
    case 'TestBinary':
      page.word(test.left, 'word');
      page.add(` ${test.operator} `);
      page.word(test.right, test.operator === '=~' ? 'regex' : 'word');
      return;
    case 'TestLogical':
      for (const [at, operand] of test.operands.entries()) {
        if (at > 0) page.add(` ${test.operator} `);
        printTest(page, operand);
      }
      return;
    case 'TestNot':
      page.add('! '.repeat(test.negations.length));
      printTest(page, test.operand);
      return;
    case 'TestGroup':
      page.add('( ');
      printTest(page, test.expression);
      page.add(' )');
      return;
  }
}
