import type { Node } from 'web-tree-sitter';
import type { CodeSymbol } from './symbol.ts';

/** Node types that define something, and what; the same words mean the same in every grammar that has them. */
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
      'function_declaration generator_function_declaration function_definition function_item function_signature function_signature_item',
    method:
      'method_definition abstract_method_signature method_signature method_declaration constructor_declaration method singleton_method init_declaration protocol_function_declaration method_elem destructor_declaration secondary_constructor',
    constant: 'const_item static_item const_spec',
    type: 'type_alias_declaration type_item type_spec type_alias type_definition alias_declaration',
    property: 'property_declaration',
    macro: 'macro_definition preproc_function_def',
  }).flatMap(([kind, types]) => types.split(' ').map((type) => [type, kind] as const)),
);

/** In these a bare word is a keyword and no definition. */
const anonymous = new Set(['class', 'module', 'method']);
/** What holds functions that are methods. */
const holders = new Set(['class', 'interface', 'struct', 'trait', 'enum', 'impl']);
const deepest = 200;

/** The definitions below a node, in the order of the file. */
export function definitionsIn(root: Node, language: string): CodeSymbol[] {
  return collect(root, { language, holder: '', depth: 0 });
}

interface Surroundings {
  readonly language: string;
  /** Kind of the definition around. */
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
    endLine: node.endPosition.row + 1,
    children:
      kind === 'constant' || kind === 'type'
        ? []
        : collect(node, { ...around, holder, depth: around.depth + 1 }),
  };
}

function kindOf(node: Node, { holder, language }: Surroundings): string | undefined {
  if (anonymous.has(node.type) && !node.isNamed) return undefined;
  if (node.type === 'module' && language === 'python') return undefined;
  if (node.type === 'variable_declarator') return holdsFunction(node) ? 'function' : undefined;
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

/** `const f = () => …` and `const f = function …`. */
function holdsFunction(node: Node): boolean {
  return /^(arrow_function|function_expression|function|generator_function)$/.test(
    node.childForFieldName('value')?.type ?? '',
  );
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
  const named = node.childForFieldName('name');
  if (named) return tidy(named.text);
  if (node.type === 'init_declaration' || node.type === 'secondary_constructor') return 'init';
  const declared = declarator(node.childForFieldName('declarator'));
  if (declared) return tidy(declared);
  const word = node.namedChildren.find(
    (child) => child && /^(simple_identifier|type_identifier|identifier|constant|name)$/.test(child.type),
  );
  return word ? tidy(word.text) : undefined;
}

/** C writes a name inside what is done with it: `int *(*name)(void)`. */
function declarator(node: Node | null): string | undefined {
  for (let depth = 0; node && depth < 20; depth++) {
    const inner = node.childForFieldName('declarator');
    if (!inner) return node.text;
    node = inner;
  }
  return undefined;
}

function tidy(name: string): string {
  return name.replace(/\s+/g, ' ').slice(0, 200);
}
