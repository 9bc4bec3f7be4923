# The worker of the R peers: same messages as worker.py, one JSON object a line.
#   Rscript r_worker.R <peer>            serve messages from standard input
#   Rscript r_worker.R <peer> <file>     run the messages of a file once (cold start)
arguments <- commandArgs(trailingOnly = TRUE)
peer <- arguments[[1]]
suppressPackageStartupMessages({
  library(jsonlite)
  library(Matrix)
  library(sub("-.*", "", peer), character.only = TRUE)
})
package <- sub("-.*", "", peer)

read_npy <- function(path) {
  con <- file(path, "rb")
  on.exit(close(con))
  readBin(con, "raw", 8)
  header <- rawToChar(readBin(con, "raw", readBin(con, "integer", 1, size = 2, signed = FALSE, endian = "little")))
  shape <- as.numeric(strsplit(gsub("[^0-9,]", "", sub(".*\\(([^)]*)\\).*", "\\1", header)), ",")[[1]])
  size <- if (grepl("[fi]8", header)) 8 else 4
  if (grepl("<f8", header)) {
    values <- readBin(con, "double", prod(shape), endian = "little")
  } else if (size == 4) {
    values <- readBin(con, "integer", prod(shape), size = 4, endian = "little")
  } else {
    values <- bit64_as_double(readBin(con, "integer", 2 * prod(shape), size = 4, endian = "little"))
  }
  if (length(shape) > 1) {
    stopifnot(grepl("'fortran_order': True", header, fixed = TRUE))
    dim(values) <- shape
  }
  values
}

bit64_as_double <- function(halves) {
  low <- halves[c(TRUE, FALSE)]
  low[low < 0] <- low[low < 0] + 2^32
  low + 2^32 * halves[c(FALSE, TRUE)]
}

write_npy <- function(path, values, type) {
  con <- file(path, "wb")
  on.exit(close(con))
  header <- sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", type, length(values))
  padding <- (64 - (10 + nchar(header) + 1) %% 64) %% 64
  header <- paste0(header, strrep(" ", padding), "\n")
  writeBin(as.raw(c(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0)), con)
  writeBin(nchar(header), con, size = 2, endian = "little")
  writeBin(charToRaw(header), con)
  writeBin(if (type == "<f8") as.double(values) else as.integer(values), con, endian = "little")
}

memory_kb <- function(field) {
  line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line))
}

load_data <- function(message) {
  meta <- fromJSON(file.path(message$folder, "meta.json"))
  y <<- read_npy(file.path(message$folder, "y.npy"))
  response_family <<- c(squared = "gaussian", logistic = "binomial", poisson = "poisson")[[meta$loss]]
  if (meta$sparse) {
    parts <- lapply(c(x = "data", i = "indices", p = "indptr"),
                    function(name) read_npy(file.path(message$folder, paste0(name, ".npy"))))
    X <<- sparseMatrix(i = parts$i, p = parts$p, x = parts$x, dims = meta$shape, index1 = FALSE)
  } else {
    X <<- read_npy(file.path(message$folder, "X.npy"))
  }
  list(ok = TRUE)
}

# The options of glmnet; which products it keeps is its own choice unless the peer's name says otherwise.
glmnet_options <- function(alphas, tol) {
  glmnet.control(fdev = 0, devmax = 1, mxitnr = 1000)
  way <- sub("^[^-]*-?", "", peer)
  c(list(family = response_family, lambda = alphas, standardize = FALSE, intercept = FALSE, thresh = tol, maxit = 1e9),
    if (way != "") list(type.gaussian = way))
}

solve_path <- list(
  glmnet = function(kind, shape, alphas, tol) {
    do.call(glmnet, c(list(X, y), glmnet_options(alphas, tol)))$beta
  },
  ncvreg = function(kind, shape, alphas, tol) {
    penalty <- c(l1 = "lasso", mcp = "MCP", scad = "SCAD")[[kind]]
    gamma <- if (is.null(shape)) 3 else shape
    # The unit variant: equal norms, so one factor takes alphas to and coefficients from unit variance.
    factor <- sqrt(mean(X[, 1]^2))
    fit <- ncvreg(X, y, family = "gaussian", penalty = penalty, gamma = gamma, lambda = alphas / factor,
                  eps = tol, max.iter = 1e9, warn = FALSE)
    Matrix(fit$beta[-1, , drop = FALSE], sparse = TRUE)
  }
)[[package]]

solve_message <- function(message) {
  gc()
  base <- memory_kb("VmRSS")
  try(cat("5", file = "/proc/self/clear_refs"), silent = TRUE)
  start <- Sys.time()
  cpu <- sum(proc.time()[1:2])
  beta <- suppressWarnings(solve_path(message$kind, message$shape, message$alphas, message$tol))
  seconds <- as.numeric(difftime(Sys.time(), start, units = "secs"))
  cpu <- sum(proc.time()[1:2]) - cpu
  peak <- memory_kb("VmHWM") - base
  beta <- as(as(beta, "generalMatrix"), "CsparseMatrix")
  if (ncol(beta) != length(message$alphas)) stop("path was cut short after ", ncol(beta), " alphas")
  write_npy(file.path(message$out, "data.npy"), beta@x, "<f8")
  write_npy(file.path(message$out, "indices.npy"), beta@i, "<i4")
  write_npy(file.path(message$out, "indptr.npy"), beta@p, "<i4")
  list(ok = TRUE, seconds = seconds, cpu = cpu, peak = peak * 1024, passes = NULL)
}

cross_validate_message <- function(message) {
  if (package != "glmnet") stop("no cross-validation here")
  start <- Sys.time()
  cpu <- sum(proc.time()[1:2])
  do.call(cv.glmnet, c(list(X, y, nfolds = message$folds), glmnet_options(message$alphas, message$tol)))
  list(ok = TRUE, seconds = as.numeric(difftime(Sys.time(), start, units = "secs")), cpu = sum(proc.time()[1:2]) - cpu)
}

answer <- function(message) {
  tryCatch(
    switch(message$do,
      hello = list(ok = TRUE, version = as.character(packageVersion(package))),
      load = load_data(message),
      unload = { X <<- NULL; gc(); list(ok = TRUE) },
      solve = solve_message(message),
      cross_validate = cross_validate_message(message),
      warm = list(ok = TRUE),
      probe = list(ok = TRUE, seconds = NULL)
    ),
    error = function(e) list(ok = FALSE, error = conditionMessage(e))
  )
}

reply <- function(values) {
  cat(toJSON(values, auto_unbox = TRUE, digits = NA, null = "null"), "\n", sep = "")
  flush(stdout())
}

if (length(arguments) > 1) {
  for (line in readLines(arguments[[2]])) reply(answer(fromJSON(line)))
} else {
  input <- file("stdin", "r")
  while (length(line <- readLines(input, 1)) > 0) {
    message <- fromJSON(line)
    if (message$do == "quit") break
    reply(answer(message))
  }
}
