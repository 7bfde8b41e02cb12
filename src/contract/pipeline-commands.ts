/** Document 004's commands for pipelines, in the order of its text. */
export const pipelineCommands =
  'tail rg awk sed tr jq wc tee fd ls head sort ctree_generate ctree_check serena_find_symbol';

/** The further ones that `pipeline.commands: "extended"` allows. */
export const furtherPipelineCommands = 'cat grep uniq cut nl tac paste comm join diff column find';
