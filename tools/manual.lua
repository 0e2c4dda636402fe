-- Makes a page of the manual from a document: a pandoc filter. The first heading becomes NAME, and what follows it
-- DESCRIPTION. Links become their texts, as other documents are no pages, and tables become lists, as columns would be
-- a few letters wide.
local names = { ["The jackdaw command"] = "run programs on Jackdaw, and look into heaps",
                ["The environment"] = "environment of programs on Jackdaw" }

function Link(link) return link.content end

-- A row's other cells, behind the columns' names where there are several.
local function description(row, headers)
  if #row == 2 then return row[2] end
  local text = pandoc.List()
  for i = 2, #row do
    local cell = pandoc.utils.blocks_to_inlines(row[i])
    if #cell > 0 then
      if #text > 0 then text:extend({ pandoc.Str(";"), pandoc.Space() }) end
      local header = pandoc.utils.blocks_to_inlines(headers[i])
      if i < #row and #header > 0 then text:extend(header .. { pandoc.Str(":"), pandoc.Space() }) end
      text:extend(cell)
    end
  end
  return { pandoc.Plain(text) }
end

function Table(table)
  local simple = pandoc.utils.to_simple_table(table)
  local items = pandoc.List()
  for _, row in ipairs(simple.rows) do
    items:insert({ { pandoc.Strong(pandoc.utils.blocks_to_inlines(row[1])) }, { description(row, simple.headers) } })
  end
  return pandoc.DefinitionList(items)
end

function Pandoc(page)
  local name = assert(names[pandoc.utils.stringify(page.blocks[1])], "no name for the page")
  page.blocks[1] = pandoc.Header(1, "DESCRIPTION")
  page.blocks:insert(1, pandoc.Header(1, "NAME"))
  page.blocks:insert(2, pandoc.Para("jackdaw - " .. name))
  page.blocks:insert(pandoc.Header(1, "SEE ALSO"))
  page.blocks:insert(pandoc.Para("jackdaw(1), jackdaw(7); all documents lie in the folder doc/jackdaw."))
  return page
end
