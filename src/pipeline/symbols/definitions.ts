import type { Node } from 'web-tree-sitter';
import type { CodeSymbol } from './symbol.ts';

/** Node types that define something, by kind; they mean the same in every grammar that has them. */
const kinds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    class:
      'class_declaration abstract_class_declaration class_definition class_specifier class object_declaration record_declaration singleton_class',
    interface: 'interface_declaration protocol_declaration annotation_type_declaration',
    struct:
      'struct_item struct_specifier struct_declaration union_item union_specifier record_struct_declaration',
    enum: 'enum_declaration enum_item enum_specifier',
    trait: 'trait_item trait_declaration',
    module:
      'internal_module module mod_item namespace_definition namespace_declaration file_scoped_namespace_declaration impl_item',
    function:
      'function_declaration generator_function_declaration function_definition function_item function_signature function_signature_item local_function_statement',
    method:
      'method_definition abstract_method_signature method_signature method_declaration constructor_declaration method singleton_method init_declaration protocol_function_declaration method_elem destructor_declaration secondary_constructor',
    constant: 'const_item static_item const_spec const_element',
    type: 'type_alias_declaration type_item type_spec type_alias type_definition alias_declaration typealias_declaration type_alias_statement delegate_declaration',
    property: 'property_declaration',
    macro: 'macro_definition preproc_function_def preproc_def',
  }).flatMap(([kind, types]) => types.split(' ').map((type) => [type, kind] as const)),
);

/** In these a bare word is a keyword and no definition. */
const anonymous = new Set(['class', 'module', 'method']);
/** Kinds whose functions are methods. */
const holders = new Set(['class', 'interface', 'struct', 'trait', 'enum', 'impl']);
const deepest = 200;

/** The definitions below a node, in the order of the file. */
export function definitionsIn(root: Node, language: string): CodeSymbol[] {
  return collect(root, { language, holder: '', depth: 0 });
}

interface Surroundings {
  readonly language: string;
  /** Kind of the enclosing definition. */
  readonly holder: string;
  readonly depth: number;
}

function collect(node: Node, around: Surroundings): CodeSymbol[] {
  if (around.depth > deepest) return [];
  const found: CodeSymbol[] = [];
  for (const child of node.namedChildren) {
    if (!child) continue;
    const symbol = symbolOf(child, around);
    if (symbol) found.push(symbol);
    else found.push(...collect(child, { ...around, depth: around.depth + 1 }));
  }
  return found;
}

function symbolOf(node: Node, around: Surroundings): CodeSymbol | undefined {
  const kind = kindOf(node, around);
  if (kind === undefined) return undefined;
  const name = nameOf(node);
  if (name === undefined) return undefined;
  const holder = node.type === 'impl_item' ? 'impl' : kind;
  return {
    kind,
    name,
    line: node.startPosition.row + 1,
    // A definition that includes its line's end ends on that line.
    endLine:
      Math.max(node.startPosition.row, node.endPosition.row - (node.endPosition.column === 0 ? 1 : 0)) + 1,
    children: isLeaf(node, kind) ? [] : collect(bodyOf(node), { ...around, holder, depth: around.depth + 1 }),
  };
}

function isLeaf(node: Node, kind: string): boolean {
  return kind === 'type' || kind === 'macro' || (kind === 'constant' && node.type !== 'variable_declarator');
}

/** `const A = class B {…}` is A, and its members belong to A. */
function bodyOf(node: Node): Node {
  const value = node.type === 'variable_declarator' ? node.childForFieldName('value') : null;
  return value?.type === 'class' ? (value.childForFieldName('body') ?? node) : node;
}

function kindOf(node: Node, { holder, language }: Surroundings): string | undefined {
  if (anonymous.has(node.type) && !node.isNamed) return undefined;
  if (node.type === 'module' && language === 'python') return undefined;
  if (node.type === 'variable_declarator')
    return valueKind(node) ?? (isTopConstant(node) ? 'constant' : undefined);
  const assigned = assignedKind(node, language);
  if (assigned !== undefined) return assigned;
  if (node.type === 'preproc_def' && !node.childForFieldName('value')) return undefined;
  if (language === 'cpp' && holders.has(holder) && declaresMethod(node)) return 'method';
  // Local variables are not listed.
  if (node.type === 'property_declaration' && (holder === 'function' || holder === 'method'))
    return undefined;
  if (node.type === 'property_declaration' && language === 'swift') return undefined;
  // A use of a type, such as `struct s x;`, has no body.
  if (/^(struct|class|enum|union)_specifier$/.test(node.type) && !node.childForFieldName('body'))
    return undefined;
  if (node.type === 'type_spec') {
    const type = node.childForFieldName('type')?.type;
    return type === 'struct_type' ? 'struct' : type === 'interface_type' ? 'interface' : 'type';
  }
  if (node.type === 'class_declaration' && (language === 'swift' || language === 'kotlin')) {
    const word = node.children.find(
      (child) => child && /^(class|struct|enum|interface|extension|actor)$/.test(child.type),
    )?.type;
    return word === 'extension' || word === 'actor' ? 'class' : (word ?? 'class');
  }
  const kind = kinds.get(node.type);
  return kind === 'function' && holders.has(holder) ? 'method' : kind;
}

/** Definitions by assignment: `const f = () => …`, `exports.f = function …`, `LIMIT = 5`. */

const functions = /^(arrow_function|function_expression|function|generator_function)$/;

/** The kind of a variable's value, if it is a function or a class. */
function valueKind(node: Node): string | undefined {
  const type = node.childForFieldName('value')?.type ?? '';
  if (functions.test(type)) return 'function';
  return type === 'class' ? 'class' : undefined;
}

/** `const LIMITS = {…}` of a module, but not an import such as `const x = require(…)`. */
function isTopConstant(node: Node): boolean {
  const declaration = node.parent;
  const around = declaration?.parent?.type;
  const value = node.childForFieldName('value');
  return (
    declaration?.type === 'lexical_declaration' &&
    declaration.child(0)?.type === 'const' &&
    (around === 'program' || around === 'export_statement') &&
    node.childForFieldName('name')?.type === 'identifier' &&
    value !== null &&
    !/^(await )?(require|import)\b/.test(value.text.slice(0, 20))
  );
}

function assignedKind(node: Node, language: string): string | undefined {
  switch (node.type) {
    case 'public_field_definition':
    case 'field_definition':
      return functions.test(node.childForFieldName('value')?.type ?? '') ? 'method' : undefined;
    case 'pair':
      return node.parent?.parent?.type === 'variable_declarator' &&
        functions.test(node.childForFieldName('value')?.type ?? '')
        ? 'method'
        : undefined;
    case 'assignment_expression':
      return functions.test(node.childForFieldName('right')?.type ?? '') && assignedName(node) !== undefined
        ? 'function'
        : undefined;
    case 'function_expression':
      return node.parent?.type === 'export_statement' ? 'function' : undefined;
    case 'assignment':
      return isConstant(node, language) ? 'constant' : undefined;
    default:
      return undefined;
  }
}

/** Python by its spelling, Ruby by its grammar. */
function isConstant(node: Node, language: string): boolean {
  const left = node.childForFieldName('left');
  if (language === 'ruby') return left?.type === 'constant';
  return (
    language === 'python' &&
    node.parent?.parent?.type === 'module' &&
    left?.type === 'identifier' &&
    /^[A-Z][A-Z\d_]*$/.test(left.text)
  );
}

/** `exports.f` is f, `A.prototype.m` is A.m. */
export function assignedName(node: Node): string | undefined {
  if (node.type === 'assignment_expression') {
    const left = node.childForFieldName('left');
    if (left?.type !== 'identifier' && left?.type !== 'member_expression') return undefined;
    const name = left.text.replace(/^(?:module\.)?exports\./, '').replace('.prototype.', '.');
    return /^[\w$.#]+$/.test(name) && name !== 'module.exports' ? name : undefined;
  }
  if (node.type === 'pair') return node.childForFieldName('key')?.text;
  if (node.type === 'field_definition') return node.childForFieldName('property')?.text;
  return node.type === 'function_expression' && !node.childForFieldName('name') ? 'default' : undefined;
}

function nameOf(node: Node): string | undefined {
  if (node.type === 'impl_item') {
    const type = node.childForFieldName('type')?.text;
    const trait = node.childForFieldName('trait')?.text;
    return type === undefined ? undefined : tidy(trait === undefined ? type : `${trait} for ${type}`);
  }
  if (node.type === 'method_declaration' && node.childForFieldName('receiver')) {
    // Go: a method is named after its type.
    const receiver = /(\w+)(?:\[[^\]]*\])?\s*\)$/.exec(node.childForFieldName('receiver')?.text ?? '')?.[1];
    const name = node.childForFieldName('name')?.text;
    return receiver && name ? `${receiver}.${name}` : name;
  }
  const assigned = assignedName(node);
  if (assigned !== undefined) return tidy(assigned);
  const named = node.childForFieldName('name') ?? node.childForFieldName('left');
  if (named && node.type === 'destructor_declaration') return `~${named.text}`;
  if (named) return tidy(named.text);
  if (node.type === 'class' && node.parent?.type === 'export_statement') return 'default';
  if (node.type === 'init_declaration' || node.type === 'secondary_constructor') return 'init';
  const declared = declarator(node.childForFieldName('declarator'));
  if (declared) return tidy(declared);
  // Kotlin: `val name: Type`.
  const variable = node.namedChildren.find((child) => child?.type === 'variable_declaration');
  const word = (variable ?? node).namedChildren.find(
    (child) => child && /^(simple_identifier|type_identifier|identifier|constant|name)$/.test(child.type),
  );
  return word ? tidy(word.text) : undefined;
}

/** C nests the name in its declarator: `int *(*name)(void)`. */
function declarator(start: Node | null): string | undefined {
  let node = start;
  for (let depth = 0; node && depth < 20; depth++) {
    if (node.type === 'operator_cast') return node.text.replace(/\s*\(.*$/s, '');
    const inner = innerDeclarator(node);
    if (!inner) return node.text;
    node = inner;
  }
  return undefined;
}

function innerDeclarator(node: Node): Node | null {
  const wraps = node.type === 'parenthesized_declarator' || node.type === 'reference_declarator';
  return node.childForFieldName('declarator') ?? (wraps ? (node.namedChildren.at(-1) ?? null) : null);
}

/** `void m() const;` in a class: a method whose body is elsewhere. Excludes pointers to functions. */
function declaresMethod(node: Node): boolean {
  if (node.type !== 'field_declaration' && node.type !== 'declaration') return false;
  for (let inner = node.childForFieldName('declarator'); inner; inner = innerDeclarator(inner)) {
    if (inner.type === 'operator_cast') return true;
    if (inner.type === 'function_declarator')
      return inner.childForFieldName('declarator')?.type !== 'parenthesized_declarator';
  }
  return false;
}

function tidy(name: string): string {
  return name.replace(/\s+/g, ' ').slice(0, 200);
}
